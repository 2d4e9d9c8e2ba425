package workshop

import (
	"flag"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"redislocklab/simulations"
)

// edit puts a new text in the place of an old one, which lock.go has once; without an
// old one it makes a new file.
type edit struct{ old, new string }

// answer is what somebody might write. Without anything that is wanted, it passes.
type answer struct {
	exercise int
	name     string
	edits    []edit

	breaks   string // the step at which it ends
	rule     string // part of the rule that it breaks there
	crash    string // part of how it ends the process
	advice   string // where to look
	compiler string // part of what the compiler says
	printed  string
}

var tryAnswers = flag.Bool("answers", false, "let TestAnswers build and judge every answer: a minute")

func TestAnswers(t *testing.T) {
	if !*tryAnswers {
		t.Skip("make check judges them")
	}
	for _, a := range slices.Concat(answers, crashes) {
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			e := Exercises()[a.exercise-1]
			files, err := e.Starter(root)
			require.NoError(t, err)
			hints, err := e.Hints(root)
			require.NoError(t, err)
			code := regexp.MustCompile("(?s)```\\w+\n(.*?)```").FindAllStringSubmatch(hints[2], -1)
			for _, edit := range a.edits {
				for i := range code { // the very words that a reader gets
					edit.new = strings.Replace(edit.new, fmt.Sprint("hint ", i), code[i][1], 1)
				}
				if name, isNew := strings.CutPrefix(edit.old, "new "); isNew {
					files[name] = []byte(edit.new)
					continue
				}
				require.Equal(t, 1, strings.Count(string(files["lock.go"]), edit.old), "lock.go has once:\n%s", edit.old)
				files["lock.go"] = []byte(strings.Replace(string(files["lock.go"]), edit.old, edit.new, 1))
			}
			judged, err := e.Run(t.Context(), root, Ask{Files: files, Patience: 3 * time.Second})
			require.NoError(t, err)

			require.Contains(t, judged.Compiler, a.compiler)
			require.Equal(t, a.compiler == "", judged.Compiler == "", judged.Compiler)
			require.Contains(t, judged.Crash, a.crash)
			require.Equal(t, a.crash == "", judged.Crash == "", judged.Crash)
			require.NotRegexp(t, `goroutine \d`, judged.Crash, "a stack trace")
			require.Contains(t, judged.Advice, a.advice)
			require.Equal(t, a.advice == "", judged.Advice == "", judged.Advice)
			if printed := strings.TrimSpace(judged.Printed); a.printed == "" || !strings.HasPrefix(printed, a.printed) {
				require.Equal(t, a.printed, printed)
			}
			last := judged.Last()
			require.Contains(t, last.Rule, a.rule)
			if last.Rule != "" && a.crash == "" {
				require.Regexp(t, `^contract_\w+\.go:\d+$`, last.Asked)
			}
			if a.breaks == "" && a.crash == "" && a.compiler == "" {
				require.True(t, judged.Done(), "%+v", last)
				return
			}
			require.False(t, judged.Done())
			if a.breaks != "" {
				require.Equal(t, simulations.Broken, last.Verdict)
				require.Equal(t, a.breaks, last.Step, "%+v", last)
				require.NotEmpty(t, last.Story)
				require.NotContains(t, last.Story, "Error Trace")
			}
		})
	}
}

const root = "../.."
