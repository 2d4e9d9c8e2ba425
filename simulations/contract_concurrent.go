package simulations

import (
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// busy stops one call at its command, and makes others meanwhile.
func (tr *trial) busy() {
	p := tr.process()
	calls := []func() error{
		func() error { _, err := p.TryLock(tr.ctx, lease); return err },
		func() error { return p.Unlock(tr.ctx) },
	}
	for _, call := range calls {
		stop := p.wire.Hold()
		first := start(call)
		<-stop.Reached
		sent := p.wire.Sent()
		for _, second := range calls {
			tr.ErrorIs(second(), tr.errs.Busy)
		}
		tr.Equal(sent, p.wire.Sent(), "commands sent")
		stop.Go()
		tr.NoError(tr.within(prompt, first))
	}
}

// hammer has many goroutines use two locks of one name, one of them together.
// Whoever gets in says so, and must be alone.
func (tr *trial) hammer() {
	shared, other := tr.process(), tr.process()
	var inside, visits atomic.Int32
	var all sync.WaitGroup
	failed := make(chan error, 9)
	for i := range cap(failed) {
		l := shared
		if i == 0 {
			l = other
		}
		all.Go(func() {
			for range 30 {
				if err := tr.visit(l, &inside, &visits); err != nil {
					failed <- err
					return
				}
			}
		})
	}
	all.Wait()
	close(failed)
	tr.NoError(<-failed)
	tr.Positive(visits.Load())
}

func (tr *trial) visit(l Locker, inside, visits *atomic.Int32) error {
	taken, err := l.TryLock(tr.ctx, 5*time.Second)
	if !taken {
		if errors.Is(err, tr.errs.Held) || errors.Is(err, tr.errs.Busy) {
			err = nil
		}
		return err
	}
	visits.Add(1)
	if inside.Add(1) != 1 {
		err = errors.New("two hold the lock at once")
	}
	runtime.Gosched()
	inside.Add(-1)
	return errors.Join(err, tr.unlockWhenIdle(l))
}

// unlockWhenIdle asks again while others' calls run on the same lock.
func (tr *trial) unlockWhenIdle(l Locker) error {
	for {
		err := l.Unlock(tr.ctx)
		if !errors.Is(err, tr.errs.Busy) {
			return err
		}
		time.Sleep(time.Microsecond)
	}
}

// strays has goroutines unlock what others of them took.
func (tr *trial) strays() {
	l := tr.process()
	var all sync.WaitGroup
	failed := make(chan error, 8)
	for range cap(failed) {
		all.Go(func() {
			for range 20 {
				if _, err := l.TryLock(tr.ctx, 5*time.Second); err != nil && !tr.mayHappen(err) {
					failed <- err
					return
				}
				if err := l.Unlock(tr.ctx); err != nil && !tr.mayHappen(err) {
					failed <- err
					return
				}
			}
		})
	}
	all.Wait()
	if len(failed) > 0 {
		tr.NoError(<-failed)
	}
	if err := l.Unlock(tr.ctx); err != nil {
		tr.ErrorIs(err, tr.errs.NotHeld)
	}
}

func (tr *trial) mayHappen(err error) bool {
	return errors.Is(err, tr.errs.Held) || errors.Is(err, tr.errs.Busy) || errors.Is(err, tr.errs.NotHeld)
}
