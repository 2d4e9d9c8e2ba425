package simulations

import (
	"context"

	"github.com/redis/go-redis/v9"
)

// wholeToken: a token that differs in its last letter is somebody else's. A lock whose
// value is no token (stage 1) has nothing to compare.
func (tr *trial) wholeToken() {
	p := tr.process()
	tr.take(p, lease)
	token := tr.redis.Get(tr.ctx, tr.key()).Val()
	if len(token) < 16 {
		tr.NoError(p.Unlock(tr.ctx))
		return
	}
	last := "A"
	if token[len(token)-1] == 'A' {
		last = "B"
	}
	other := token[:len(token)-1] + last
	tr.NoError(tr.redis.Set(tr.ctx, tr.key(), other, lease).Err())
	tr.ErrorIs(p.Unlock(tr.ctx), tr.errs.NotHeld)
	tr.Equal(other, tr.redis.Get(tr.ctx, tr.key()).Val())
	tr.NoError(tr.redis.Del(tr.ctx, tr.key()).Err())
}

// newToken: what is left over from one acquisition must not pass for the next.
func (tr *trial) newToken() {
	p := tr.process()
	var values []string
	for range 2 {
		tr.take(p, lease)
		values = append(values, tr.redis.Get(tr.ctx, tr.key()).Val())
		tr.NoError(p.Unlock(tr.ctx))
	}
	if values[0] == values[1] {
		tr.Less(len(values[0]), 16, "twice the same token") // or stage 1's word
	} else {
		tr.GreaterOrEqual(len(values[0]), 16, "a token of few letters may come again")
	}
}

// twice is a client that hears no reply, and sends the command again by itself.
type twice struct{}

func (twice) DialHook(next redis.DialHook) redis.DialHook { return next }

func (twice) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

func (twice) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		_ = next(ctx, redis.NewCmd(ctx, cmd.Args()...))
		return next(ctx, cmd)
	}
}

// sentTwice: the first command took the lock, and so the second one must not say no. A
// lock whose value is no token (stage 1) cannot tell.
func (tr *trial) sentTwice() {
	client := tr.connect()
	client.AddHook(twice{})
	l := tr.subject.New(client, tr.name)
	taken, err := l.TryLock(tr.ctx, lease)
	tr.NoError(err)
	if left := len(tr.redis.Get(tr.ctx, tr.key()).Val()); left == 0 || left >= 16 {
		tr.True(taken)
	}
	tr.NoError(tr.redis.Del(tr.ctx, tr.key()).Err())
	_ = l.Unlock(tr.ctx)
}

// unlockEnded: an ended context stops the Unlock of a lock that can neither wait nor renew
// before anything is sent. (The others give back what they hold all the same.)
func (tr *trial) unlockEnded() {
	p := tr.process()
	tr.take(p, lease)
	_, waits := p.Locker.(waiter)
	if _, renews := p.Locker.(teller); !waits && !renews {
		ended, cancel := context.WithCancel(tr.ctx)
		cancel()
		sent := p.wire.Sent()
		err := p.Unlock(ended)
		tr.ErrorIs(err, context.Canceled)
		tr.ErrorContains(err, "before anything was sent")
		tr.Equal(sent, p.wire.Sent(), "commands sent")
	}
	tr.NoError(p.Unlock(tr.ctx), "it was still held")
}
