package simulations

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
)

// Verdict is what a scenario says of a lock.
type Verdict string

const (
	Holds      Verdict = "holds"
	Broken     Verdict = "BROKEN"
	Stopped    Verdict = "stopped" // ended before everything was tried; nothing had broken
	NotOffered Verdict = "–"       // the lock has no such method, or not so many servers
)

// Report is the outcome of a scenario.
type Report struct {
	Verdict   Verdict
	Violation Violation // of the invariant that the scenario is about, if Broken
	Trace     Trace     // of an exploration: the story that breaks, if one does
	Schedule  string    // what Replay plays again; empty for a scenario
	Schedules int       // how many there are within the bounds
	States    int       // how many different states they lead through
	Runs      int       // how many stories were told to see them all
}

// Play tells the story of s with the subject's lock and reports how it ended. If
// something happens somewhere in a call, it tells the story for each command of the
// call, until it breaks. The verdict is about the scenario's own invariant: others may
// break on the way, and have their own scenario; but those of also count, too. Play fails
// t for no verdict.
func Play(t *testing.T, s Scenario, subject Subject, also ...Invariant) Report {
	t.Helper()
	about := append([]Invariant{s.About}, also...)
	return retell(func(nth int) (Report, bool) { return play(t, s, subject, about, nth) })
}

// retell tells a story for the first command of a call, for the second and so on, until
// it breaks, or the call has no more.
func retell(tell func(nth int) (report Report, struck bool)) Report {
	report, struck := tell(1)
	for nth := 2; struck && report.Verdict == Holds; nth++ {
		var next Report
		if next, struck = tell(nth); struck {
			report = next
		}
	}
	return report
}

func play(t *testing.T, s Scenario, subject Subject, about []Invariant, nth int) (report Report, struck bool) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, subject, 3, about...)
		w.nth = nth
		defer w.close()
		report = w.play(s)
		struck = w.struck
	})
	return report, struck
}

func (w *World) play(s Scenario) Report {
	w.A, w.B, w.C = w.actors[0], w.actors[1], w.actors[2]
	if _, waits := w.A.lock.(waiter); s.Waits && !waits || s.Nodes > len(w.Redis) {
		return Report{Verdict: NotOffered}
	}
	s.Story(w)
	w.judgeEnd()
	return w.report()
}

func (w *World) report() Report {
	r := Report{Verdict: Holds, Trace: w.trace}
	if v := w.broken(); v != nil {
		r.Verdict, r.Violation = Broken, *v
	}
	return r
}

// broken is the first violation that the story is about.
func (w *World) broken() *Violation {
	for i, v := range w.violations {
		if slices.Contains(w.about, v.Invariant) {
			return &w.violations[i]
		}
	}
	return nil
}

// String draws the timeline, and says below it what broke.
func (r Report) String() string {
	switch r.Verdict {
	case NotOffered:
		return "Not for this lock: it has no Lock(ctx, ttl), or too few Redis servers.\n"
	case Broken:
		return r.Trace.String() + fmt.Sprintf("\n%s: %s.\n", r.Violation.Invariant, r.Violation.Text)
	}
	return r.Trace.String()
}
