package simulations

import (
	"fmt"
	"testing"
	"testing/cryptotest"
	"testing/synctest"
)

// Verdict is what a scenario says of a lock.
type Verdict string

const (
	Holds      Verdict = "holds"
	Broken     Verdict = "BROKEN"
	NotOffered Verdict = "–" // the lock has no such method
)

// Report is the outcome of a scenario.
type Report struct {
	Verdict   Verdict
	Violation Violation // of the invariant that the scenario is about, if Broken
	Trace     Trace
}

// Play tells the story of s with the subject's lock and reports how it ended. It
// fails t only if the story itself cannot be told. The verdict is about the
// scenario's own invariant: others may break on the way, and have their own scenario.
func Play(t *testing.T, s Scenario, subject Subject) (report Report) {
	t.Helper()
	if _, waits := subject.New(nil, lockName).(waiter); s.Waits && !waits {
		return Report{Verdict: NotOffered}
	}
	cryptotest.SetGlobalRandom(t, 1) // tokens, and what locks derive from them, repeat
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, subject, s.About)
		defer w.close()
		s.Story(w)
		w.judgeEnd()
		report = w.report()
	})
	return report
}

func (w *World) report() Report {
	r := Report{Verdict: Holds, Trace: w.trace}
	for _, v := range w.violations {
		if v.Invariant == w.about {
			r.Verdict, r.Violation = Broken, v
		}
	}
	return r
}

// String draws the timeline, and says below it what broke.
func (r Report) String() string {
	switch r.Verdict {
	case NotOffered:
		return "The lock has no Lock(ctx, ttl), and so nobody can wait for it.\n"
	case Broken:
		return r.Trace.String() + fmt.Sprintf("\n%s: %s.\n", r.Violation.Invariant, r.Violation.Text)
	}
	return r.Trace.String()
}
