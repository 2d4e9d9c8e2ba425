package lab

import (
	"bytes"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"redislocklab/simulations"
)

func TestExploreDrawsWhatReplayDrawsAgain(t *testing.T) {
	lab, out := newLab(t)
	require.ErrorIs(t, lab.Run([]string{"explore", "2"}, false), exit(1))
	require.Contains(t, out.String(), "BROKEN  owner-only, by A's DEL")
	require.Contains(t, out.String(), "make replay STAGE=2 SCHEDULE=AAAtBA\n")
	story := out.String()[strings.Index(out.String(), "  clock"):strings.Index(out.String(), "  BROKEN")]

	lab, out = newLab(t)
	require.NoError(t, lab.Run([]string{"replay", "2", "AAAtBA"}, false))
	require.Contains(t, out.String()+"\n", story, "the same bytes")
}

func TestExploreHolds(t *testing.T) {
	for _, args := range [][]string{{"3", "3", "2"}, {"3", "", "", "1"}, {"4"}, {"5", "2", "0", "0"}} {
		lab, out := newLab(t)
		require.NoError(t, lab.Run(append([]string{"explore"}, args...), false))
		require.Contains(t, out.String(), "none breaks")
		require.Contains(t, out.String(), "Within these bounds")
		for line := range strings.Lines(out.String()) {
			require.LessOrEqual(t, utf8.RuneCountInString(strings.TrimSuffix(line, "\n")), columns, line)
		}
	}
}

// A story with more actors than its schedule names needs their number to be drawn again.
func TestReplayIsToldHowManyActors(t *testing.T) {
	stage := simulations.Stages()[0]
	for _, test := range []struct {
		actors         int
		schedule, want string
	}{
		{2, "AAtBA", "make replay STAGE=1 SCHEDULE=AAtBA"},
		{3, "AAtBC", "make replay STAGE=1 SCHEDULE=AAtBC"},
		{3, "AAtBA", "make replay STAGE=1 SCHEDULE=AAtBA ACTORS=3"},
		{1, "A", "make replay STAGE=1 SCHEDULE=A ACTORS=1"},
	} {
		require.Equal(t, test.want, again(stage, simulations.Bounds{Actors: test.actors}, test.schedule))
	}
	for _, actors := range []string{"", "2", "3", "4"} {
		lab, out := newLab(t)
		require.NoError(t, lab.Run([]string{"replay", "1", "AAtBA", actors}, false))
		require.Contains(t, out.String(), "A deleted the lock that B holds")
	}
}

func TestExploreRefusesBadBounds(t *testing.T) {
	for _, test := range []struct{ args, want string }{
		{"explore 9", `no lock "9"`},
		{"explore 3 0", "ACTORS=0"},
		{"explore 3 5", "ACTORS=5"},
		{"explore 3 x", "ACTORS=x"},
		{"explore 3 2 -1", "EXPIRIES=-1"},
		{"explore 3 2 1 1.5", "FAULTS=1.5"},
		{"replay 2", "usage"},
		{"replay 2 AXB", `"AXB" is no schedule`},
		{"replay 2 AAAAA", "step 5 of AAAAA"},
		{"replay 3 ABC 2", "step 3 of ABC"},
	} {
		lab, out := newLab(t)
		require.ErrorContains(t, lab.Run(strings.Fields(test.args), false), test.want)
		require.Empty(t, out.String())
	}
}

func TestAnExplorationCanBeStopped(t *testing.T) {
	subject, bounds, err := exploration([]string{"5", "3", "2", "2"})
	require.NoError(t, err)
	report := simulations.ExploreWhile(t, subject, bounds, func(soFar simulations.Report) bool {
		require.Equal(t, simulations.Stopped, soFar.Verdict)
		return false
	})
	require.Equal(t, simulations.Stopped, report.Verdict)
	require.Positive(t, report.Schedules)
	require.Contains(t, (&Lab{}).found(report, subject, bounds), "stopped")
}

func TestProgress(t *testing.T) {
	var terminal bytes.Buffer
	lab := &Lab{Progress: &terminal}
	goOn := lab.follow(time.Now().Add(-time.Minute))
	require.True(t, goOn(simulations.Report{Schedules: 1234567, States: 1000}))
	require.Contains(t, terminal.String(), "1,234,567 schedules, 1,000 states")
}

func TestThousands(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567"} {
		require.Equal(t, want, thousands(n))
	}
}
