package simulations_test

import (
	"errors"
	"flag"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"redislocklab/simulations"
	"redislocklab/simulations/articles"
	"redislocklab/simulations/beyond"
)

var (
	raceName  = flag.String("race", "", "the race that TestRace plays, gc-pause for example")
	stageName = flag.String("stage", "", "the lock that it judges: a stage's number, or a name")
)

// TestRace is one race as a plain test of one lock. It fails where the lock breaks.
func TestRace(t *testing.T) {
	if *raceName == "" {
		t.Skip("say which: make race RACE=gc-pause STAGE=2")
	}
	scenario, noRace := simulations.FindScenario(*raceName, beyond.Rows())
	subject, noLock := simulations.FindSubject(*stageName, slices.Concat(beyond.Columns(), articles.Subjects()))
	if err := errors.Join(noRace, noLock); err != nil {
		t.Fatal(err)
	}
	report, where := playRace(t, scenario, subject)
	fmt.Printf("\n%s on %s%s: %s\n\n%s\n", scenario.Name, subject.Name, where, report.Verdict, report)
	if report.Verdict == simulations.NotOffered {
		t.Skip("not offered by this lock")
	}
	if report.Verdict == simulations.Broken {
		fmt.Print("The FAIL below is the result: the lock breaks here.\n\n")
		t.Fail()
	}
}

// playRace plays it in the simulation, or on the server of REDIS_URL.
func playRace(t *testing.T, scenario simulations.Scenario, subject simulations.Subject) (report simulations.Report, where string) {
	real, err := simulations.RealFromEnvironment()
	if err != nil {
		t.Fatal(err)
	}
	if real == nil {
		return simulations.Play(t, scenario, subject), ""
	}
	if err := real.CanPlay(scenario, subject); err != nil {
		t.Skip(err)
	}
	report, err = simulations.PlayReal(t, scenario, subject, scenario.RealLease(), *real)
	if err != nil {
		t.Fatal(err)
	}
	return report, ", on the server of REDIS_URL"
}

func TestUnknownNamesListTheKnownOnes(t *testing.T) {
	_, err := simulations.FindScenario("gc-paws", simulations.Scenarios())
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
