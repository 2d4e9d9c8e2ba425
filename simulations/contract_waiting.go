package simulations

import (
	"context"
	"sync/atomic"
	"time"
)

// waitingContract is what a lock with Lock(ctx, ttl) promises as well.
var waitingContract = []Rule{
	{"wait: a free lock", "Lock takes a lock that is free at once.", (*trial).freeLock},
	{"wait: woken by the release", "Who waits in Lock gets the lock soon after it was given back.", (*trial).woken},
	{"wait: within the budget", "Lock gives up when its context ends: context.DeadlineExceeded, and the holder is not disturbed.", (*trial).budget},
	{"wait: until cancelled", "Lock gives up when its context is cancelled, and leaves nothing behind.", (*trial).cancelled},
	{"wait: cancelled while a command hangs", "Lock and TryLock give up when the context ends, although a command is still on its way.", (*trial).cancelledWhileHanging},
	{"wait: bad input", "Lock refuses what TryLock refuses: ErrInvalid, and nothing is sent.", (*trial).badInputToLock},
	{"wait: busy", "A call made while Lock waits on the same *Lock: ErrBusy, and nothing is sent.", (*trial).busyWaiting},
	{"wait: a dead holder", "The holder died: who waits gets the lock when its lease ends.", (*trial).deadHolder},
	{"wait: what is won too late", "What is won after the context has ended is given back.", (*trial).wonTooLate},
	{"wait: no connection, with a budget", "Without a connection Lock tries until its context ends, and returns both errors.", (*trial).noConnectionWithBudget},
	{"wait: no connection, without a budget", "Without a connection and without a budget Lock tries for one TTL, and returns the error.", (*trial).noConnectionWithoutBudget},
	{"wait: cut off for a while", "Lock goes on when Redis can be reached again.", (*trial).cutForAWhile},
	{"wait: a key of another type", "A key that is no lock is left alone, and Lock says so with an error.", (*trial).wrongTypeToLock},
	{"wait: unlock after the context has ended", "Unlock works although the context of the wait has ended.", (*trial).unlockAfterTheEnd},
	{"wait: a lost reply", "After a lost reply the next call finds out whether the lock is ours.", (*trial).lostReply},
	{"wait: a lost reply and another owner", "After a lost reply and the end of the lease, the lock is another's.", (*trial).lostReplyAndExpired},
	{"wait: several waiters", "Several wait, and each gets its turn, one at a time.", (*trial).severalWaiters},
	{"wait: one release wakes one", "A release wakes one waiter, and the others send nothing.", (*trial).oneIsWoken},
}

func (tr *trial) freeLock() {
	p := tr.process()
	tr.NoError(tr.within(prompt, start(func() error { return p.Lock(tr.ctx, lease) })))
	tr.Positive(tr.left())
	tr.LessOrEqual(tr.left(), lease)
	tr.ErrorIs(p.Lock(tr.ctx, lease), tr.errs.Held)
	_, err := p.TryLock(tr.ctx, lease)
	tr.ErrorIs(err, tr.errs.Held)
	tr.refused(tr.process())
	tr.NoError(p.Unlock(tr.ctx))
}

func (tr *trial) woken() {
	a, b := tr.process(), tr.process()
	for range 2 { // a has to wait for b as well
		tr.take(a, lease)
		done := tr.queue(tr.ctx, b)
		tr.Empty(done, "it waits")
		tr.NoError(a.Unlock(tr.ctx))
		tr.NoError(tr.within(prompt, done))
		tr.refused(a)
		a, b = b, a
		tr.NoError(a.Unlock(tr.ctx))
	}
}

func (tr *trial) budget() {
	holder, p := tr.process(), tr.process()
	tr.take(holder, lease)
	ctx, cancel := context.WithTimeout(tr.ctx, short)
	defer cancel()
	since := time.Now()
	tr.ErrorIs(p.Lock(ctx, lease), context.DeadlineExceeded)
	tr.GreaterOrEqual(time.Since(since), short)
	tr.Less(time.Since(since), short+prompt)
	tr.ErrorIs(p.Unlock(tr.ctx), tr.errs.NotHeld)
	tr.NoError(holder.Unlock(tr.ctx), "the holder was not disturbed")
	tr.NoError(p.Lock(tr.ctx, lease))
	tr.NoError(p.Unlock(tr.ctx))
}

func (tr *trial) cancelled() {
	holder, p := tr.process(), tr.process()
	tr.take(holder, lease)
	ctx, cancel := context.WithCancel(tr.ctx)
	done := tr.queue(ctx, p)
	cancel()
	tr.ErrorIs(tr.within(prompt, done), context.Canceled)
	tr.NoError(holder.Unlock(tr.ctx))
	tr.Eventually(prompt, func() bool { return len(tr.keys()) == 0 }, "who gave up leaves something behind")
}

func (tr *trial) cancelledWhileHanging() {
	p := tr.process()
	for _, take := range tr.calls(p, lease) {
		ctx, cancel := context.WithCancel(tr.ctx)
		stop := p.wire.Hold()
		done := start(func() error { return take(ctx) })
		<-stop.Reached
		cancel()
		tr.ErrorIs(tr.within(prompt, done), context.Canceled)
		tr.NoError(tr.within(prompt, start(func() error { return take(tr.ctx) })), "the *Lock can be used meanwhile")
		tr.NoError(p.Unlock(tr.ctx))
		stop.Go()
		time.Sleep(moment)
		tr.Empty(tr.keys())
	}
}

func (tr *trial) badInputToLock() {
	tr.refusesBadInput(func(l Locker, ctx context.Context, ttl time.Duration) error {
		return l.(waiter).Lock(ctx, ttl)
	})
}

func (tr *trial) busyWaiting() {
	holder, p := tr.process(), tr.process()
	tr.take(holder, lease)
	done := tr.queue(tr.ctx, p)
	sent := p.wire.Sent()
	tr.ErrorIs(p.Lock(tr.ctx, lease), tr.errs.Busy)
	_, err := p.TryLock(tr.ctx, lease)
	tr.ErrorIs(err, tr.errs.Busy)
	tr.ErrorIs(p.Unlock(tr.ctx), tr.errs.Busy)
	tr.Equal(sent, p.wire.Sent(), "commands sent")
	tr.NoError(holder.Unlock(tr.ctx))
	tr.NoError(tr.within(prompt, done))
	tr.NoError(p.Unlock(tr.ctx))
}

// deadHolder: the dead wake nobody, so the wait has to end with their lease.
func (tr *trial) deadHolder() {
	dead, p := tr.process(), tr.process()
	tr.take(dead, short)
	dead.wire.Cut()
	since := time.Now()
	tr.NoError(tr.within(short+prompt, tr.queue(tr.ctx, p)))
	tr.Greater(time.Since(since), short-moment)
	tr.NoError(p.Unlock(tr.ctx))
	dead.wire.Mend()
	tr.ErrorIs(dead.Unlock(tr.ctx), tr.errs.NotHeld)
}

// wonTooLate: the caller is gone when the command is carried out, or its reply comes.
func (tr *trial) wonTooLate() {
	p := tr.process()
	for _, hold := range []func() *Stop{p.wire.Hold, p.wire.HoldReply} {
		for _, take := range tr.calls(p, lease) {
			ctx, cancel := context.WithTimeout(tr.ctx, moment)
			defer cancel()
			stop := hold()
			tr.ErrorIs(tr.within(moment+prompt, start(func() error { return take(ctx) })), context.DeadlineExceeded)
			tr.ErrorIs(p.Unlock(tr.ctx), tr.errs.NotHeld)
			stop.Go()
			time.Sleep(moment)
			tr.Empty(tr.keys(), "the lock was not given back")
		}
	}
}

func (tr *trial) noConnectionWithBudget() {
	l := tr.subject.New(tr.unreachable(), tr.name)
	ctx, cancel := context.WithTimeout(tr.ctx, short)
	defer cancel()
	err := tr.within(short+prompt, start(func() error { return l.(waiter).Lock(ctx, lease) }))
	tr.ErrorIs(err, context.DeadlineExceeded)
	tr.ErrorIs(err, errUnreachable)
}

func (tr *trial) noConnectionWithoutBudget() {
	l := tr.subject.New(tr.unreachable(), tr.name)
	since := time.Now()
	err := tr.within(2*short, start(func() error { return l.(waiter).Lock(tr.ctx, short) }))
	tr.ErrorIs(err, errUnreachable)
	tr.GreaterOrEqual(time.Since(since), short)
}

// cutForAWhile: for less than a TTL, so the waiter does not give up.
func (tr *trial) cutForAWhile() {
	p := tr.process()
	p.wire.Cut()
	done := tr.queue(tr.ctx, p)
	tr.Empty(done, "it goes on trying")
	p.wire.Mend()
	tr.NoError(tr.within(lease/2, done))
	tr.NoError(p.Unlock(tr.ctx))
}

func (tr *trial) wrongTypeToLock() {
	tr.NoError(tr.redis.RPush(tr.ctx, tr.key(), "not a lock").Err())
	p := tr.process()
	tr.ErrorContains(tr.within(prompt, start(func() error { return p.Lock(tr.ctx, lease) })), "WRONGTYPE")
	tr.NoError(tr.redis.Del(tr.ctx, tr.key()).Err())
	tr.NoError(p.Lock(tr.ctx, lease))
	tr.NoError(p.Unlock(tr.ctx))
}

func (tr *trial) unlockAfterTheEnd() {
	p := tr.process()
	for _, take := range tr.calls(p, lease) {
		ctx, cancel := context.WithCancel(tr.ctx)
		tr.NoError(take(ctx))
		cancel()
		tr.NoError(p.Unlock(ctx))
		tr.Empty(tr.keys())
	}
}

func (tr *trial) lostReply() {
	p := tr.process()
	p.wire.LoseReply()
	taken, err := p.TryLock(tr.ctx, lease)
	tr.ErrorIs(err, ErrCut)
	tr.False(taken)
	tr.refused(tr.process())
	tr.take(p, lease) // it recognises its own token
	tr.NoError(p.Unlock(tr.ctx))

	p.wire.LoseReply()
	_, err = p.TryLock(tr.ctx, lease)
	tr.Error(err)
	tr.NoError(p.Unlock(tr.ctx), "what may be ours can be given back")
	tr.Empty(tr.keys())

	p.wire.LoseReply() // and Lock finds out by itself
	tr.NoError(tr.within(lease/2, start(func() error { return p.Lock(tr.ctx, lease) })))
	tr.refused(tr.process())
	tr.NoError(p.Unlock(tr.ctx))
}

// lostReplyAndExpired: what was perhaps ours is another's when we ask again.
func (tr *trial) lostReplyAndExpired() {
	p, other := tr.process(), tr.process()
	p.wire.LoseReply()
	_, err := p.TryLock(tr.ctx, short)
	tr.ErrorIs(err, ErrCut)
	time.Sleep(short + moment)
	tr.take(other, lease)
	tr.refused(p)
	tr.ErrorIs(p.Unlock(tr.ctx), tr.errs.NotHeld)
	tr.NoError(other.Unlock(tr.ctx))
}

func (tr *trial) severalWaiters() {
	holder := tr.process()
	tr.take(holder, lease)
	const waiters = 6
	var inside, visits atomic.Int32
	var done []<-chan error
	for range waiters {
		p := tr.process()
		done = append(done, start(func() error {
			if err := p.Lock(tr.ctx, lease); err != nil {
				return err
			}
			visits.Add(inside.Add(1)) // more than one for each if two are inside
			time.Sleep(10 * time.Millisecond)
			inside.Add(-1)
			return p.Unlock(tr.ctx)
		}))
	}
	time.Sleep(moment)
	tr.Zero(visits.Load())
	tr.NoError(holder.Unlock(tr.ctx))
	for _, d := range done {
		tr.NoError(tr.within(waiters*10*time.Millisecond+prompt, d))
	}
	tr.EqualValues(waiters, visits.Load())
	tr.Empty(tr.keys())
}

func (tr *trial) oneIsWoken() {
	holder := tr.process()
	tr.take(holder, lease)
	ctx, cancel := context.WithCancel(tr.ctx)
	var waiters []*process
	var before []int
	won := make(chan *process, 4)
	lost := make(chan error, 4)
	for range cap(won) {
		p := tr.process()
		waiters = append(waiters, p)
		go func() {
			if err := p.Lock(ctx, lease); err != nil {
				lost <- err
				return
			}
			won <- p
		}()
	}
	time.Sleep(moment)
	for _, p := range waiters {
		before = append(before, p.wire.Sent())
	}
	tr.NoError(holder.Unlock(tr.ctx))
	time.Sleep(moment)
	woken := 0
	for i, p := range waiters {
		if p.wire.Sent() > before[i] {
			woken++
		}
	}
	tr.Equal(1, woken, "waiters that sent something")
	tr.Len(won, 1)
	cancel()
	for range len(waiters) - 1 {
		tr.ErrorIs(tr.within(prompt, lost), context.Canceled)
	}
	tr.NoError((<-won).Unlock(tr.ctx))
}
