package simulations

import (
	"context"
	"time"
)

// commonContract is what every lock promises.
var commonContract = []Rule{
	{"take, release and take again", "A lock that was given back can be taken again, by anybody.", (*trial).takeAndRelease},
	{"false when another has it", "TryLock says false when another holds the lock, and leaves it alone; who was refused holds nothing.", (*trial).falseWhenTaken},
	{"the key and its TTL", "The lock is one key, lock:{name}, that has the TTL it was asked for and is gone after Unlock.", (*trial).keyAndTTL},
	{"two names", "Locks of two names know nothing of each other.", (*trial).twoNames},
	{"many locks on one client", "One client can hold many locks; one *Lock is one holder.", (*trial).manyLocks},
	{"bad input", "A nil client, a name that is empty or has braces, a TTL under 1ms: ErrInvalid, and nothing is sent.", (*trial).badInput},
	{"unlock without lock", "Unlock of a lock that is not held, or was given back: ErrNotHeld, and nothing is sent.", (*trial).notHeld},
	{"lock twice", "TryLock on a lock that is held: ErrHeld, nothing is sent, and it stays held.", (*trial).alreadyHeld},
	{"unlock after expiry", "Unlock after the lease has ended: ErrNotHeld, and then the *Lock can take the lock again.", (*trial).expired},
	{"almost the same token", "A token that differs in one letter is another's: Unlock leaves it alone and says ErrNotHeld.", (*trial).wholeToken},
	{"a new token", "Every acquisition has a token of its own, that of the same *Lock too.", (*trial).newToken},
	{"a command sent twice", "When the client sends a command twice, TryLock knows its own token and says true.", (*trial).sentTwice},
	{"unlock with an ended context", "Unlock with a context that has ended sends nothing, and the lock stays held.", (*trial).unlockEnded},
	{"a key of another type", "A key that is no lock is left alone, and TryLock says so with an error.", (*trial).wrongType},
	{"no connection", "Without a connection TryLock returns the error, and not false alone.", (*trial).noConnection},
	{"unlock while cut off", "An Unlock that did not reach Redis returns the error, and the lock still counts as held.", (*trial).unlockWhileCut},
	{"the reply of unlock is lost", "An Unlock whose reply was lost can be called again, and then the lock is gone.", (*trial).unlockReplyLost},
	{"busy", "A call made while another runs on the same *Lock: ErrBusy, and nothing is sent.", (*trial).busy},
	{"many goroutines", "However many goroutines share a lock, one at a time is inside.", (*trial).hammer},
	{"many goroutines that unlock", "Goroutines may unlock what others of them took: no error but ErrHeld, ErrBusy and ErrNotHeld.", (*trial).strays},
}

func (tr *trial) takeAndRelease() {
	p := tr.process()
	for range 2 {
		tr.take(p, lease)
		tr.NoError(p.Unlock(tr.ctx))
	}
	other := tr.process()
	tr.take(other, lease) // whoever comes next can have it too
	tr.NoError(other.Unlock(tr.ctx))
}

func (tr *trial) falseWhenTaken() {
	a, b := tr.process(), tr.process()
	tr.take(a, lease/2)
	value := tr.redis.Get(tr.ctx, tr.key()).Val()
	tr.refused(b)
	tr.Equal(value, tr.redis.Get(tr.ctx, tr.key()).Val(), "the key is left alone")
	tr.LessOrEqual(tr.left(), lease/2, "and its lease")
	tr.ErrorIs(b.Unlock(tr.ctx), tr.errs.NotHeld, "a refused lock is not held")
	tr.refused(b)
	tr.NoError(a.Unlock(tr.ctx))
	tr.take(b, lease)
	tr.NoError(b.Unlock(tr.ctx))
}

func (tr *trial) keyAndTTL() {
	p := tr.process()
	tr.take(p, lease)
	tr.Equal([]string{tr.key()}, tr.keys())
	tr.NoError(p.Unlock(tr.ctx))
	tr.Empty(tr.keys())
	for _, ttl := range []time.Duration{lease, time.Minute} {
		tr.take(p, ttl)
		tr.Greater(tr.left(), ttl-prompt)
		tr.LessOrEqual(tr.left(), ttl)
		tr.NoError(p.Unlock(tr.ctx))
	}

	taken, err := p.TryLock(tr.ctx, time.Millisecond) // the shortest that is allowed
	tr.NotErrorIs(err, tr.errs.Invalid)
	tr.LessOrEqual(tr.left(), time.Millisecond)
	if taken {
		_ = p.Unlock(tr.ctx) // it may be over
	}
}

func (tr *trial) twoNames() {
	a, b := tr.process(), tr.processFor(tr.name+", another")
	tr.take(a, lease)
	tr.take(b, lease)
	tr.NoError(a.Unlock(tr.ctx))
	tr.NoError(b.Unlock(tr.ctx))
}

func (tr *trial) manyLocks() {
	client := tr.connect()
	var locks []Locker
	for _, name := range []string{"", " 2", " 3", " 4", " 5"} {
		l := tr.subject.New(client, tr.name+name)
		tr.take(l, lease)
		locks = append(locks, l)
	}
	tr.refused(tr.subject.New(client, tr.name)) // one *Lock is one holder, not one client
	for _, l := range locks {
		tr.NoError(l.Unlock(tr.ctx))
	}
}

func (tr *trial) badInput() {
	tr.refusesBadInput(func(l Locker, ctx context.Context, ttl time.Duration) error {
		taken, err := l.TryLock(ctx, ttl)
		tr.False(taken)
		return err
	})
}

func (tr *trial) notHeld() {
	p, other := tr.process(), tr.process()
	tr.take(other, lease)
	tr.ErrorIs(p.Unlock(tr.ctx), tr.errs.NotHeld)
	tr.Zero(p.wire.Sent())
	tr.Positive(tr.left(), "the other's lock")
	tr.NoError(other.Unlock(tr.ctx))

	tr.take(p, lease)
	tr.NoError(p.Unlock(tr.ctx))
	sent := p.wire.Sent()
	tr.ErrorIs(p.Unlock(tr.ctx), tr.errs.NotHeld)
	tr.Equal(sent, p.wire.Sent(), "commands sent")
}

func (tr *trial) alreadyHeld() {
	p := tr.process()
	tr.take(p, lease)
	sent := p.wire.Sent()
	taken, err := p.TryLock(tr.ctx, lease)
	tr.ErrorIs(err, tr.errs.Held)
	tr.False(taken)
	tr.Equal(sent, p.wire.Sent(), "commands sent")
	tr.NoError(p.Unlock(tr.ctx), "it still holds the lock")
}

// expired cuts the holder off, so that the lease of a lock that renews ends too.
func (tr *trial) expired() {
	p, neighbour := tr.process(), tr.processFor(tr.name+", another")
	tr.take(p, short)
	tr.take(neighbour, lease)
	p.wire.Cut()
	time.Sleep(short + moment)
	p.wire.Mend()
	tr.ErrorIs(p.Unlock(tr.ctx), tr.errs.NotHeld)
	tr.NoError(neighbour.Unlock(tr.ctx), "only one lock is gone")
	tr.take(p, lease)
	tr.NoError(p.Unlock(tr.ctx))
}

func (tr *trial) wrongType() {
	tr.NoError(tr.redis.RPush(tr.ctx, tr.key(), "not a lock").Err())
	p := tr.process()
	taken, err := p.TryLock(tr.ctx, lease)
	tr.ErrorContains(err, "WRONGTYPE")
	tr.False(taken)
	tr.Equal([]string{"not a lock"}, tr.redis.LRange(tr.ctx, tr.key(), 0, -1).Val())
	tr.NoError(tr.redis.Del(tr.ctx, tr.key()).Err())
	tr.take(p, lease)
	tr.NoError(p.Unlock(tr.ctx))
}

func (tr *trial) noConnection() {
	l := tr.subject.New(tr.unreachable(), tr.name)
	taken, err := l.TryLock(tr.ctx, lease)
	tr.ErrorIs(err, errUnreachable)
	tr.False(taken)
	tr.Error(l.Unlock(tr.ctx))
}

func (tr *trial) unlockWhileCut() {
	p := tr.process()
	tr.take(p, lease)
	p.wire.Cut()
	for range 2 {
		err := p.Unlock(tr.ctx)
		tr.ErrorIs(err, ErrCut)
		tr.NotErrorIs(err, tr.errs.NotHeld)
	}
	_, err := p.TryLock(tr.ctx, lease)
	tr.ErrorIs(err, tr.errs.Held, "it still counts as held")
	p.wire.Mend()
	tr.NoError(p.Unlock(tr.ctx))
	tr.Empty(tr.keys())
}

// unlockReplyLost: Unlock can be called again, and finds out what became of the lock.
func (tr *trial) unlockReplyLost() {
	p := tr.process()
	tr.take(p, lease)
	p.wire.LoseReply()
	tr.ErrorIs(p.Unlock(tr.ctx), ErrCut)
	if err := p.Unlock(tr.ctx); err != nil { // who asks before deleting has lost only the answer
		tr.ErrorIs(err, tr.errs.NotHeld)
	}
	tr.Empty(tr.keys())
	tr.take(p, lease)
	tr.NoError(p.Unlock(tr.ctx))
}
