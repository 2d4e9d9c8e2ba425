package beyond_test

import (
	"testing"

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
