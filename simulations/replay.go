package simulations

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
)

// Replay plays one schedule again, as Explore reported it: the same string gives the
// same bytes, always. A schedule that does not fit the subject or the bounds fails t.
func Replay(t *testing.T, subject Subject, bounds Bounds, schedule string) (report Report) {
	t.Helper()
	steps, err := parseSchedule(schedule)
	if err != nil {
		t.Fatal(err)
	}
	bounds = bounds.withDefaults(t, subject)
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, subject, bounds.Check...)
		defer w.close()
		x := newWalk(w, bounds)
		for i, step := range steps {
			if options := x.options(); !slices.Contains(options, step) {
				err = fmt.Errorf("step %d of %s, %q, cannot be taken there; one of these can: %v", i+1, schedule, step, options)
				return
			}
			x.step(step)
		}
		w.judgeEnd()
		report = w.report()
		report.Schedule = schedule
	})
	if err != nil {
		t.Fatal(err)
	}
	return report
}
