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
// same bytes, always. A schedule that does not fit the subject fails t. Of the bounds,
// only Actors and Check count; 0 actors are as many as the schedule names, at least 2.
func Replay(t *testing.T, subject Subject, bounds Bounds, schedule string) (report Report) {
	t.Helper()
	err := checkSchedule(schedule)
	if err != nil {
		t.Fatal(err)
	}
	bounds.Actors = cmp.Or(bounds.Actors, actorsIn(schedule))
	bounds = bounds.withDefaults(t, subject)
	bounds.Expiries, bounds.Faults = len(schedule), len(schedule)
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, subject, bounds.Actors, bounds.Check...)
		defer w.close()
		x := newWalk(w, bounds)
		for i, step := range steps(schedule) {
			if possible := x.possible(); !slices.Contains(possible, step) {
				err = fmt.Errorf("step %d of %s, %q, cannot be taken there; one of these can: %v", i+1, schedule, step, possible)
				return
			}
			x.step(step)
		}
		if !x.anyOf(x.ready) {
			x.judgeRest()
		}
		report = w.report()
		report.Schedule = schedule
	})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// actorsIn is how many actors a schedule needs.
func actorsIn(schedule string) int {
	n := 2
	for i, name := range actorNames {
		if strings.Contains(schedule, name) {
			n = max(n, i+1)
		}
	}
	return n
}
