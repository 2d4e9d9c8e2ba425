package peers

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"redislocklab/simulations"
)

// The test binary is the program of make peers: the clock of its races exists only in a
// test.
var (
	show = flag.String("show", "", "all: play the races, and print the tables; or a race, to draw where it breaks")
	save = flag.Bool("save", false, "write the tables into README.md as well")
)

func TestMain(m *testing.M) {
	flag.Parse()
	screen = os.Stdout
	if *show != "" {
		os.Stdout, _ = os.Open(os.DevNull) // the test runner has nothing to say here
	}
	status := m.Run()
	if *show != "" && status != 0 {
		fmt.Fprintln(os.Stderr, "cd simulations/peers && go test ./... tells more")
	}
	os.Exit(status)
}

var screen *os.File

func TestShow(t *testing.T) {
	switch *show {
	case "":
		t.Skip("only for make peers")
	case "all":
		text, stories := tables(t)
		fmt.Fprint(screen, text, "\nmake peers RACE=wait-budget draws the stories of a race that break.\n")
		if *save && !t.Failed() && !strings.Contains(text, " ? ") {
			require.NoError(t, Save("README.md", "stories", stories))
			require.NoError(t, Save("README.md", "tables", text))
		}
	default:
		_, err := simulations.FindScenario(*show, simulations.Scenarios())
		if err != nil {
			fmt.Fprintln(screen, err)
			os.Exit(1)
		}
		breaks := false
		for _, j := range judge(t, *show)[*show] {
			if j.report.Verdict != simulations.Broken {
				continue
			}
			breaks = true
			fmt.Fprintf(screen, "%s on %s: BROKEN\n", j.race, j.column)
			if j.excuse != nil {
				fmt.Fprintf(screen, "This is not offered: %s.\n", j.excuse.why)
			}
			fmt.Fprintf(screen, "\n%s\n", j.report)
		}
		if !breaks {
			fmt.Fprintf(screen, "No library breaks in %s.\n", *show)
		}
	}
}
