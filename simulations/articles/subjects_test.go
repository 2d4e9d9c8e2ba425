package articles

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"redislocklab/simulations"
)

// verdicts has a column for each of Subjects, in order. Three things to know of it:
//
// Nobody is told of a loss, and nothing renews or fences: no listing says that it
// does. So overrun, partition and stop-the-world break for all, as for stages 1 to 4.
//
// block-forever takes no budget, and wait-budget gives it one all the same: the cell
// says that it cannot keep to one, not that it promised to.
//
// handoff holds because a pause of 100ms is prompt enough. The article does not say
// how long its pause is; with one of 700ms the cell would be BROKEN. And B comes before
// C there because the world lets B go first: these locks know no order.
const verdicts = `
crash-before-expire  holds   holds   holds   BROKEN  holds   holds   holds   holds
misdelete            BROKEN  holds   holds   BROKEN  BROKEN  holds   holds   holds
gc-pause             BROKEN  BROKEN  holds   BROKEN  BROKEN  holds   holds   holds
handoff              –       –       –       –       –       –       holds   holds
wait-budget          –       –       –       –       –       –       BROKEN  BROKEN
holder-crash         –       –       –       –       –       –       holds   holds
lost-reply           BROKEN  BROKEN  BROKEN  BROKEN  BROKEN  BROKEN  BROKEN  BROKEN
overrun              BROKEN  BROKEN  BROKEN  BROKEN  BROKEN  BROKEN  BROKEN  BROKEN
partition            BROKEN  BROKEN  BROKEN  BROKEN  BROKEN  BROKEN  BROKEN  BROKEN
stop-the-world       BROKEN  BROKEN  BROKEN  BROKEN  BROKEN  BROKEN  BROKEN  BROKEN
failover             BROKEN  BROKEN  BROKEN  BROKEN  BROKEN  BROKEN  BROKEN  BROKEN
`

func TestVerdicts(t *testing.T) {
	want := cells(t)
	for i, subject := range Subjects() {
		t.Run(subject.Name, func(t *testing.T) {
			for _, scenario := range simulations.Scenarios() {
				t.Run(scenario.Name, func(t *testing.T) {
					row, known := want[scenario.Name]
					require.True(t, known, "the table has no row %s", scenario.Name)
					report := simulations.Play(t, scenario, subject)
					if report.Verdict == simulations.Broken {
						fmt.Fprint(t.Output(), report)
						require.Equal(t, scenario.About, report.Violation.Invariant)
					}
					require.Equal(t, row[i], report.Verdict)
				})
			}
		})
	}
}

func cells(t *testing.T) map[string][]simulations.Verdict {
	want := map[string][]simulations.Verdict{}
	for _, row := range strings.Split(strings.TrimSpace(verdicts), "\n") {
		fields := strings.Fields(row)
		for _, field := range fields[1:] {
			want[fields[0]] = append(want[fields[0]], simulations.Verdict(field))
		}
		require.Len(t, want[fields[0]], len(Subjects()), "listings in the row %s", fields[0])
	}
	require.Len(t, want, len(simulations.Scenarios()))
	return want
}
