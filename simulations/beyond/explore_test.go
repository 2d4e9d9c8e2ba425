package beyond_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"redislocklab/simulations"
	"redislocklab/simulations/beyond"
)

// Whatever the order: no late write is accepted. Stage 5 is asked for the same, and
// cannot keep it.
func TestEveryOrderIsFenced(t *testing.T) {
	fenced, bounds := beyond.Subjects()[0], simulations.Bounds{}
	if *thorough {
		bounds.Faults = 1
	}
	require.Contains(t, simulations.Promises(fenced), simulations.Fenced)
	report := simulations.Explore(t, fenced, bounds)
	require.Equal(t, simulations.Holds, report.Verdict, "\n%s", report)

	bounds.Check = []simulations.Invariant{simulations.Fenced}
	report = simulations.Explore(t, simulations.Stages()[4], bounds)
	require.Equal(t, simulations.Broken, report.Verdict)
	require.Equal(t, simulations.Fenced, report.Violation.Invariant)
	t.Logf("\n%s", report)
}
