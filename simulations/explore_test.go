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
		{3, Bounds{Faults: 1}, 992},
		{4, Bounds{}, 154},
		{5, Bounds{}, 770},
	} {
		report := Explore(t, Stages()[test.stage-1], test.bounds)
		require.Equal(t, Holds, report.Verdict, "%s\n%s", report.Schedule, report)
		require.Equal(t, test.schedules, report.Schedules)
		require.Empty(t, report.Schedule)
	}
}

// To visit a state once, and to let only one begin of those who have not, loses
// nothing: without both, every single schedule is played, and there are as many of them.
func TestMergingLosesNothing(t *testing.T) {
	all := Stages()
	for _, test := range []struct {
		subject Subject
		bounds  Bounds
	}{
		{all[0], Bounds{}},
		{all[1], Bounds{}},
		{all[2], Bounds{Faults: 1}},
		{all[3], Bounds{Expiries: 2}},
		{all[4], Bounds{}},
		{all[3], Bounds{Check: []Invariant{Exclusion}}},
		{all[4], Bounds{Check: []Invariant{Fenced}}},
	} {
		name := test.subject.Name
		merged := Explore(t, test.subject, test.bounds)
		plain := (&explorer{subject: test.subject, bounds: test.bounds.withDefaults(t, test.subject)}).
			explore(t, nil)
		require.Equal(t, merged.Verdict, plain.Verdict, name)
		require.Equal(t, merged.Schedule, plain.Schedule, name)
		require.Equal(t, merged.String(), plain.String(), name)
		require.Less(t, merged.Runs, plain.Runs, name)
		if plain.Verdict == Holds {
			require.Equal(t, merged.Schedules, plain.Runs, name)
		}
	}
}

// An exploration does not depend on the machine, or on what runs beside it.
func TestExplorationsRepeat(t *testing.T) {
	for _, stage := range Stages() {
		first := Explore(t, stage, Bounds{Expiries: 2})
		require.Equal(t, first, Explore(t, stage, Bounds{Expiries: 2}), stage.Name)
	}
}

// What no stage promises, the explorer finds when it is asked to look.
func TestExplorerChecksWhatItIsAskedFor(t *testing.T) {
	for _, test := range []struct {
		stage int
		check Invariant
	}{
		{3, Exclusion}, {3, Told}, {4, Exclusion}, {4, Told}, {5, Fenced},
	} {
		bounds := Bounds{Check: []Invariant{test.check}}
		report := Explore(t, Stages()[test.stage-1], bounds)
		require.Equal(t, Broken, report.Verdict, "stage %d, %s", test.stage, test.check)
		require.Equal(t, test.check, report.Violation.Invariant)
		require.Equal(t, report.String(), Replay(t, Stages()[test.stage-1], bounds, report.Schedule).String())
	}
	lostReply := Explore(t, Stages()[2], Bounds{Faults: 1, Check: []Invariant{NoOrphan}})
	require.Equal(t, Broken, lostReply.Verdict)
	require.Contains(t, lostReply.String(), "the reply is lost")
}

// Renewals run while their holder works.
func TestAWatchdogRenewsInTheMiddleOfTheWork(t *testing.T) {
	report := Replay(t, Stages()[4], Bounds{}, "ABBtAAA")
	require.NotEqual(t, Broken, report.Verdict, "\n%s", report)
	var told []string
	for _, e := range report.Trace {
		if e.Actor == "A" {
			told = append(told, e.Text)
		}
	}
	require.Equal(t, "lock.lua -> 0, | working, extend.lua -> 1, write accepted, unlock.lua -> 1", strings.Join(told, ", "))
}

func TestFourLanesFitTheScreen(t *testing.T) {
	report := Replay(t, Stages()[3], Bounds{Actors: 4}, "AABBCCDDA")
	for line := range strings.Lines(report.Trace.String()) {
		require.LessOrEqual(t, len(line), 79, line)
	}
	require.Contains(t, report.Trace.String(), "D")
}

// A waiter stood still with the answer in its hand, and slept as long afterwards as if
// the answer were new: the explorer found that. Now it asks when the lease is over, and
// so its step can be taken a millisecond later.
func TestALateAnswerDoesNotDelayTheWaiter(t *testing.T) {
	report := Replay(t, Stages()[4], Bounds{Faults: 1}, "ABBstBtB")
	require.NotEqual(t, Broken, report.Verdict, "\n%s", report)
}

func TestCheckSchedule(t *testing.T) {
	require.NoError(t, checkSchedule("AAqtA2BsD"))
	require.Equal(t, "A Aq t A2 Bs D", strings.Join(splitSchedule("AAqtA2BsD"), " "))
	for _, bad := range []string{"E", "Ax", "a", "A B", "tt1", "AAA…"} {
		require.ErrorContains(t, checkSchedule(bad), bad)
	}
}
