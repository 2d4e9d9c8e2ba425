package simulations_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"redislocklab/simulations"
)

func TestLadder(t *testing.T) {
	want := cells(t)
	for _, scenario := range simulations.Scenarios() {
		t.Run(scenario.Name, func(t *testing.T) {
			for i, stage := range simulations.Stages() {
				t.Run(stage.Name, func(t *testing.T) {
					report := simulations.Play(t, scenario, stage)
					if report.Verdict == simulations.Broken {
						fmt.Fprint(t.Output(), report)
					}
					require.Equal(t, want[scenario.Name][i], report.Verdict)
					if report.Verdict == simulations.Broken {
						require.Equal(t, scenario.About, report.Violation.Invariant)
					}
				})
			}
		})
	}
}

// cells reads the staircase, and sees that it has every race and every stage.
func cells(t *testing.T) map[string][]simulations.Verdict {
	want := map[string][]simulations.Verdict{}
	for _, row := range strings.Split(strings.TrimSpace(simulations.Staircase), "\n") {
		fields := strings.Fields(row)
		for _, field := range fields[1:] {
			want[fields[0]] = append(want[fields[0]], simulations.Verdict(field))
		}
		require.Len(t, want[fields[0]], len(simulations.Stages()), "stages in the row %s", fields[0])
	}
	require.Len(t, want, len(simulations.Scenarios()))
	for _, scenario := range simulations.Scenarios() {
		require.Contains(t, want, scenario.Name)
	}
	return want
}

// A story is a value: it must be the same to the byte, whoever plays it and when.
func TestStoriesRepeat(t *testing.T) {
	for _, scenario := range simulations.Scenarios() {
		for _, stage := range simulations.Stages() {
			t.Run(scenario.Name+"/"+stage.Name, func(t *testing.T) {
				t.Parallel()
				first := fmt.Sprintf("%#v", simulations.Play(t, scenario, stage))
				for range 99 {
					require.Equal(t, first, fmt.Sprintf("%#v", simulations.Play(t, scenario, stage)))
				}
			})
		}
	}
}
