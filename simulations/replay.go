package simulations

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
)

// Replay plays one schedule again, as Explore reported it: the same string gives the
// same bytes, always. Of the bounds, only Actors and Check count; 0 actors are as many
// as the schedule names, at least 2. The verdict is Stopped if the story could go on. A
// schedule that does not fit fails t.
func Replay(t *testing.T, subject Subject, bounds Bounds, schedule string) Report {
	t.Helper()
	report, err := TryReplay(t, subject, bounds, schedule)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// TryReplay is Replay that returns an error for a schedule that does not fit.
func TryReplay(t *testing.T, subject Subject, bounds Bounds, schedule string) (report Report, err error) {
	t.Helper()
	if err := checkSchedule(schedule); err != nil {
		return Report{}, err
	}
	bounds.Actors = cmp.Or(bounds.Actors, ActorsIn(schedule))
	bounds = bounds.withDefaults(t, subject)
	bounds.Expiries, bounds.Faults = len(schedule), len(schedule)
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, subject, bounds.Actors, bounds.Check...)
		defer w.close()
		x := newWalk(w, bounds)
		for i, step := range splitSchedule(schedule) {
			if possible := x.possible(); !slices.Contains(possible, step) {
				err = fmt.Errorf("step %d of %s, %q, cannot be taken there; these can: %s",
					i+1, schedule, step, cmp.Or(strings.Join(possible, " "), "none, the story is over"))
				return
			}
			x.step(step)
		}
		if !x.anyOf(x.ready) {
			x.judgeRest()
		}
		report = w.report()
		report.Schedule = schedule
		if report.Verdict == Holds && len(x.possible()) > 0 {
			report.Verdict = Stopped
		}
	})
	return report, err
}

// ActorsIn is how many actors a schedule names, at least 2.
func ActorsIn(schedule string) int {
	n := 2
	for i, name := range actorNames {
		if strings.Contains(schedule, name) {
			n = max(n, i+1)
		}
	}
	return n
}
