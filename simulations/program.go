package simulations

import (
	"context"
	"errors"
	"time"
)

const (
	exploreTTL    = 10 * time.Second
	exploreBudget = 15 * time.Second // of a wait
	exploreWork   = 3 * time.Second  // so long a holder works and counts as quick: one renewal
)

// program starts what each process does in an exploration: take the lock, or wait for
// it; work, that is, write; give it back. Who gets an error, and has not given up, does
// not know whose the lock is: it asks once more, and after a second error unlocks.
func (a *Actor) program() {
	acquire := func(t *turn) error { return a.tryLock(t, exploreTTL) }
	ctx := a.ctx
	if _, waits := a.lock.(waiter); waits {
		acquire = func(t *turn) error { return a.waitLock(t, exploreTTL, exploreBudget) }
		ended, cancel := context.WithCancel(a.ctx)
		cancel()
		ctx = ended // the context of a wait may be over when the work is
	}
	a.start("its program", func(t *turn) {
		t.parkChoice("begin", "")
		err := acquire(t)
		if unsure(err) {
			err = acquire(t)
		}
		if !a.inside && !unsure(err) {
			return
		}
		a.write(t)
		if unsure(a.unlock(t, ctx)) {
			_ = a.unlock(t, ctx)
		}
	})
}

func unsure(err error) bool { return err != nil && !errors.Is(err, context.DeadlineExceeded) }
