package simulations

import (
	"errors"
	"time"
)

// program is what each process does in an exploration: take the lock, or wait for it,
// work, give it back. Who gets no reply asks once more.
func (a *Actor) program(ttl, budget time.Duration) {
	acquire := func() error { return a.tryLock(ttl) }
	if _, waits := a.lock.(waiter); waits {
		acquire = func() error { return a.waitLock(ttl, budget) }
	}
	a.start("its program", func() {
		if err := acquire(); errors.Is(err, errNoReply) {
			_ = acquire()
		}
		if !a.inside {
			return
		}
		a.write()
		if err := a.unlock(); errors.Is(err, errNoReply) {
			_ = a.unlock()
		}
	})
}
