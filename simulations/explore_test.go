package simulations

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The first counterexample is the shortest story there is: nobody told the explorer
// of the late delete, or of the GC pause.
func TestExplorerFindsTheRacesByItself(t *testing.T) {
	for _, test := range []struct {
		stage    int
		schedule string
		last     string
	}{
		{1, "AAtBA", "DEL -> 1"},
		{2, "AAAtBA", "DEL -> 1"},
	} {
		for _, bounds := range []Bounds{{}, {Actors: 3, Expiries: 2}} {
			report := Explore(t, Stages()[test.stage-1], bounds)
			require.Equal(t, Broken, report.Verdict)
			require.Equal(t, OwnerOnly, report.Violation.Invariant)
			require.Equal(t, test.schedule, report.Schedule)
			require.Equal(t, test.last, report.Trace[len(report.Trace)-1].Text)

			again := Replay(t, Stages()[test.stage-1], bounds, report.Schedule)
			require.Equal(t, report.String(), again.String(), "a replay gives the same bytes")
		}
	}
}

func TestExplorerHolds(t *testing.T) {
	for _, test := range []struct {
		stage     int
		bounds    Bounds
		schedules int
	}{
		{3, Bounds{}, 44},
		{3, Bounds{Actors: 3, Expiries: 2}, 6018},
		{4, Bounds{}, 154},
	} {
		report := Explore(t, Stages()[test.stage-1], test.bounds)
		require.Equal(t, Holds, report.Verdict, "%s\n%s", report.Schedule, report)
		require.Equal(t, test.schedules, report.Schedules)
		require.Empty(t, report.Schedule)
	}
}

// To visit a state once, and to move only one of those who have not moved yet, loses
// nothing: without both, every single schedule is told, and there are as many of them.
func TestMergingLosesNothing(t *testing.T) {
	for stage := 1; stage <= 4; stage++ {
		subject := Stages()[stage-1]
		merged := Explore(t, subject, Bounds{})
		bounds := Bounds{}.withDefaults(t, subject)
		plain := (&explorer{subject: subject, bounds: bounds}).explore(t, func(Report) bool { return true })
		require.Equal(t, merged.Verdict, plain.Verdict, subject.Name)
		require.Equal(t, merged.Schedule, plain.Schedule, subject.Name)
		require.Equal(t, merged.String(), plain.String(), subject.Name)
		require.Less(t, merged.Runs, plain.Runs, subject.Name)
		if plain.Verdict == Holds {
			require.Equal(t, merged.Schedules, plain.Runs, subject.Name)
		}
	}
}

// A waiter stood still with the answer in its hand, and slept as long afterwards as if
// the answer were new: the explorer found that. Now it asks when the lease is over, and
// so its step can be taken a millisecond later.
func TestALateAnswerDoesNotDelayTheWaiter(t *testing.T) {
	report := Replay(t, Stages()[4], Bounds{Faults: 1}, "ABBstBtB")
	require.Equal(t, Holds, report.Verdict, "\n%s", report)
}

func TestCheckSchedule(t *testing.T) {
	require.NoError(t, checkSchedule("AAqtA2BsD"))
	require.Equal(t, "A Aq t A2 Bs D", strings.Join(steps("AAqtA2BsD"), " "))
	for _, bad := range []string{"E", "Ax", "a", "A B", "tt1", "AAA…"} {
		require.ErrorContains(t, checkSchedule(bad), bad)
	}
}
