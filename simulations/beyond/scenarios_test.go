package beyond_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"redislocklab/simulations"
	"redislocklab/simulations/beyond"
)

func TestScenarios(t *testing.T) {
	want := map[string][]simulations.Verdict{ // fenced, quorum
		"fence-lost":    {simulations.Broken, simulations.Holds},
		"node-down":     {simulations.NotOffered, simulations.Holds},
		"restart-empty": {simulations.NotOffered, simulations.Broken},
		"restart-late":  {simulations.NotOffered, simulations.Holds},
		"clock-jump":    {simulations.NotOffered, simulations.Broken},
	}
	require.Len(t, beyond.Scenarios(), len(want))
	for _, scenario := range beyond.Scenarios() {
		for i, subject := range beyond.Subjects() {
			t.Run(scenario.Name+"/"+subject.Name, func(t *testing.T) {
				report := simulations.Play(t, scenario, subject)
				t.Logf("\n%s", report)
				require.Equal(t, want[scenario.Name][i], report.Verdict)
				if report.Verdict == simulations.Broken {
					require.Equal(t, scenario.About, report.Violation.Invariant)
				}
			})
		}
	}
}

// A request of a failed try is still on its way when the lock is given back: the release
// must not overtake it, or the key stays for a whole lease.
func TestAReleaseDoesNotOvertake(t *testing.T) {
	report := simulations.Play(t, simulations.Scenario{About: simulations.NoOrphan, Story: func(w *simulations.World) {
		w.A.SlowDown(2 * time.Second)
		w.A.TryLock(10 * time.Second)
		w.Advance(500 * time.Millisecond)
		w.A.SlowDown(0)
		w.Advance(5 * time.Second)
		w.B.TryLock(10 * time.Second)
		w.MustOwn(w.B)
	}}, beyond.Subjects()[1])
	require.Equal(t, simulations.Holds, report.Verdict, "\n%s", report)
}
