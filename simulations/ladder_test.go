package simulations_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"redislocklab/simulations"
	"redislocklab/simulations/beyond"
)

func TestLadder(t *testing.T) {
	for _, scenario := range simulations.Scenarios() {
		t.Run(scenario.Name, func(t *testing.T) {
			for i, subject := range beyond.Columns() {
				t.Run(subject.Name, func(t *testing.T) {
					report := simulations.Play(t, scenario, subject)
					if report.Verdict == simulations.Broken {
						fmt.Fprint(t.Output(), report)
					}
					require.Equal(t, simulations.Cell(scenario.Name, i), report.Verdict, "%s", report)
					if report.Verdict == simulations.Broken {
						require.Equal(t, scenario.About, report.Violation.Invariant)
					}
				})
			}
		})
	}
	rows := strings.Split(strings.TrimSpace(simulations.Staircase), "\n")
	require.Len(t, rows, 1+len(simulations.Scenarios()))
	for _, row := range rows[1:] {
		require.Len(t, strings.Fields(row), 1+len(beyond.Columns()))
	}
}

// A story is a value: it must be the same to the byte, whoever plays it and when.
func TestStoriesRepeat(t *testing.T) {
	for _, scenario := range simulations.Scenarios() {
		for _, stage := range beyond.Columns() {
			t.Run(scenario.Name+"/"+stage.Name, func(t *testing.T) {
				t.Parallel()
				first := fmt.Sprintf("%#v", simulations.Play(t, scenario, stage))
				for range 49 {
					require.Equal(t, first, fmt.Sprintf("%#v", simulations.Play(t, scenario, stage)))
				}
			})
		}
	}
}
