package simulations_test

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"redislocklab/simulations"
	"redislocklab/simulations/articles"
)

// TestRace is one race as a plain test of one lock: RACE names the race, STAGE the
// lock. It fails where the lock breaks.
func TestRace(t *testing.T) {
	race, set := os.LookupEnv("RACE")
	if !set {
		t.Skip("set RACE and STAGE: make race RACE=gc-pause STAGE=2")
	}
	scenario, noRace := simulations.FindScenario(race)
	subject, noLock := simulations.FindSubject(os.Getenv("STAGE"), slices.Concat(simulations.Stages(), articles.Subjects()))
	if err := errors.Join(noRace, noLock); err != nil {
		t.Fatal(err)
	}
	report := simulations.Play(t, scenario, subject)
	fmt.Printf("\n%s on %s: %s\n\n%s\n", scenario.Name, subject.Name, report.Verdict, report)
	if report.Verdict == simulations.NotOffered {
		t.Skip("not offered by this lock")
	}
	if report.Verdict == simulations.Broken {
		t.Fail()
	}
}

func TestUnknownNamesListTheKnownOnes(t *testing.T) {
	_, err := simulations.FindScenario("gc-paws")
	require.ErrorContains(t, err, `no race "gc-paws"`)
	for _, scenario := range simulations.Scenarios() {
		require.ErrorContains(t, err, scenario.Name)
	}
	_, err = simulations.FindSubject("6", simulations.Stages())
	require.ErrorContains(t, err, `no lock "6"`)
	for _, stage := range simulations.Stages() {
		require.ErrorContains(t, err, stage.Name)
		found, err := simulations.FindSubject(stage.Name[len("stage"):len("stage")+1], simulations.Stages())
		require.NoError(t, err)
		require.Equal(t, stage.Name, found.Name)
	}
}
