package simulations

import (
	"context"
	"time"
)

// contextContract is what a lock with Context() promises as well.
var contextContract = []Rule{
	{"context: nothing held", "Context of a lock that is not held has ended, with cause ErrNotHeld.", (*trial).nothingHeld},
	{"context: alive while held", "The lease is renewed, and Context lives, until Unlock.", (*trial).alive},
	{"context: of the lock and not of the wait", "Context keeps the caller's values, and outlives the budget of the wait.", (*trial).ofTheLock},
	{"context: ended at unlock", "Context ends at Unlock, and nothing is renewed after that.", (*trial).endedAtUnlock},
	{"context: the key was deleted", "The key is gone: Context ends with cause ErrLost at the next renewal.", (*trial).deleted},
	{"context: another has taken it", "Another has the lock: Context ends with cause ErrLost, and its lease is left alone.", (*trial).takenOver},
	{"context: Redis cannot be reached", "Redis cannot be reached: Context ends with cause ErrLost before the lease does.", (*trial).partitioned},
	{"context: cut off for a moment", "One renewal fails, the next one works: nothing is lost.", (*trial).cutForAMoment},
}

// Context is the holder's. Only the rules of contextContract call it.
func (p *process) Context() context.Context { return p.Locker.(teller).Context() }

func (tr *trial) ended(ctx context.Context, cause error) {
	tr.t.Helper()
	tr.Error(ctx.Err())
	tr.ErrorIs(context.Cause(ctx), cause)
}

// told waits for the end of a holder's context.
func (tr *trial) told(ctx context.Context, within time.Duration) {
	tr.t.Helper()
	tr.ErrorIs(tr.within(within, start(func() error { <-ctx.Done(); return context.Cause(ctx) })), tr.errs.Lost)
}

func (tr *trial) nothingHeld() {
	holder, p := tr.process(), tr.process()
	tr.ended(p.Context(), tr.errs.NotHeld)
	tr.take(holder, lease)
	tr.refused(p)
	tr.ended(p.Context(), tr.errs.NotHeld)
	tr.NoError(holder.Unlock(tr.ctx))
	tr.ended(holder.Context(), tr.errs.NotHeld)
}

func (tr *trial) alive() {
	p, other := tr.process(), tr.process()
	for _, take := range tr.calls(p, short) {
		tr.NoError(take(tr.ctx))
		held := p.Context()
		for range 40 {
			time.Sleep(short / 7)
			tr.NoError(held.Err())
			tr.LessOrEqual(tr.left(), short)
			tr.refused(other)
		}
		tr.NoError(p.Unlock(tr.ctx))
		tr.ended(held, tr.errs.NotHeld)
	}
}

type contractValue struct{}

func (tr *trial) ofTheLock() {
	p := tr.process()
	for _, take := range tr.calls(p, short) {
		ctx, cancel := context.WithTimeout(context.WithValue(tr.ctx, contractValue{}, "kept"), moment)
		defer cancel()
		tr.NoError(take(ctx))
		time.Sleep(2 * short)
		tr.Error(ctx.Err())
		tr.NoError(p.Context().Err(), "the budget of the wait has ended, and not the lock")
		tr.Equal("kept", p.Context().Value(contractValue{}))
		tr.NoError(p.Unlock(tr.ctx))
	}
}

func (tr *trial) endedAtUnlock() {
	p := tr.process()
	tr.take(p, lease)
	first := p.Context()
	tr.NoError(p.Unlock(tr.ctx))
	tr.ended(first, tr.errs.NotHeld)
	sent := p.wire.Sent()
	time.Sleep(lease)
	tr.Equal(sent, p.wire.Sent(), "nothing is renewed after Unlock")
	tr.take(p, lease)
	tr.NoError(p.Context().Err(), "a new lock has a new context")
	tr.Error(first.Err())

	p.wire.Cut() // although Redis cannot be asked, who unlocks shall work no more
	second := p.Context()
	tr.ErrorIs(p.Unlock(tr.ctx), ErrCut)
	tr.ended(second, tr.errs.NotHeld)
	p.wire.Mend()
	tr.NoError(p.Unlock(tr.ctx))
}

func (tr *trial) deleted() {
	p := tr.process()
	tr.take(p, lease)
	tr.NoError(tr.redis.Del(tr.ctx, tr.key()).Err())
	tr.told(p.Context(), lease/2) // at the next renewal
	err := p.Unlock(tr.ctx)
	tr.ErrorIs(err, tr.errs.Lost)
	tr.ErrorIs(err, tr.errs.NotHeld)
	tr.take(p, lease)
	tr.NoError(p.Unlock(tr.ctx))
}

func (tr *trial) takenOver() {
	p := tr.process()
	tr.take(p, lease)
	tr.NoError(tr.redis.Set(tr.ctx, tr.key(), "another", lease).Err())
	tr.told(p.Context(), lease/2)
	err := p.Unlock(tr.ctx)
	tr.ErrorIs(err, tr.errs.Lost)
	tr.ErrorIs(err, tr.errs.NotHeld)
	tr.Equal("another", tr.redis.Get(tr.ctx, tr.key()).Val())
	tr.Greater(tr.left(), lease/3, "the other's lease is not touched")
}

// partitioned has a lease so long that a busy machine can see its last hundredth.
func (tr *trial) partitioned() {
	const lease = 5 * time.Second
	p := tr.process()
	tr.take(p, lease)
	held := p.Context()
	time.Sleep(lease / 2) // renewed meanwhile
	p.wire.Cut()
	tr.told(held, lease)
	tr.Positive(tr.left(), "the holder is told before another can get the lock")
	err := p.Unlock(tr.ctx)
	tr.ErrorIs(err, tr.errs.Lost)
	tr.ErrorIs(err, ErrCut)
	time.Sleep(lease/100 + moment)
	other := tr.process()
	tr.take(other, lease)
	p.wire.Mend()
	err = p.Unlock(tr.ctx)
	tr.ErrorIs(err, tr.errs.Lost)
	tr.ErrorIs(err, tr.errs.NotHeld)
	tr.NoError(other.Unlock(tr.ctx))
}

// cutForAMoment: one renewal fails, the next one keeps the lock.
func (tr *trial) cutForAMoment() {
	p := tr.process()
	tr.take(p, lease)
	p.wire.Cut()
	time.Sleep(lease/3 + moment)
	tr.Less(tr.left(), lease*2/3)
	p.wire.Mend()
	time.Sleep(lease)
	tr.NoError(p.Context().Err())
	tr.NoError(p.Unlock(tr.ctx))
}
