package fenced

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
)

// attempt tries to take a lease, and tells whether it did.
type attempt func(ctx context.Context, lease *lease) (taken bool, err error)

// beside makes the attempt in a goroutine of its own, because a context ends no
// command that is on its way: the caller leaves when ctx ends, and what is won
// after that is given back. kept tells whether the lease is ours, or may be.
func (l *Lock) beside(ctx context.Context, lease *lease, attempt attempt) (taken, kept bool, err error) {
	type outcome struct {
		taken bool
		err   error
	}
	done := make(chan outcome)
	go func() {
		taken, err := attempt(ctx, lease)
		if ctx.Err() == nil {
			select {
			case done <- outcome{taken, err}:
				return
			case <-ctx.Done():
			}
		}
		_, _ = l.release(ctx, lease) // if this fails too, the lease ends by itself
	}()
	select {
	case got := <-done:
		return got.taken, got.taken || got.err != nil, got.err
	case <-ctx.Done():
		err := fmt.Errorf("lock: gave up: %w", ctx.Err())
		if trouble := lease.trouble.Load(); trouble != nil {
			err = errors.Join(err, *trouble)
		}
		return false, false, err
	}
}

// wait asks until the lock is ours. Between two questions it sleeps until Unlock
// wakes it, or until the holder's lease is over, since a dead holder wakes nobody.
// A wake-up that a dying waiter takes along costs ten seconds at most.
func (l *Lock) wait(ctx context.Context, lease *lease) (bool, error) {
	var events <-chan any // our own channel: the subscription first, then wake-ups
	var queue bool        // only after the subscription: a wake-up must be heard
	answered := time.Now()
	for {
		asked := time.Now() // the answer counts from here, even if we stood still meanwhile
		left, err := l.ask(ctx, lease, queue)
		switch {
		case err == nil && left == 0:
			return true, nil
		case err == nil:
			answered = time.Now()
			lease.trouble.Store(nil)
		case events == nil && errors.As(err, new(redis.Error)), time.Since(answered) > lease.ttl:
			return false, err
		default: // no answer: the next try finds out whether this one was carried out
			left = min(lease.ttl/10, 100*time.Millisecond)
			lease.trouble.Store(&err)
		}
		if events == nil {
			wake := l.client.Subscribe(ctx, key(l.name)+":"+lease.token)
			defer wake.Close()
			events = wake.ChannelWithSubscriptions()
		}
		if !queue { // nobody can wake us yet, or ever, without the right to subscribe
			left = min(left, lease.ttl/10)
		}
		rest := time.Until(asked.Add(min(left, 10*time.Second)))
		if rest <= 0 {
			continue
		}
		select {
		case <-events:
			queue = true
		case <-time.After(rest):
		case <-ctx.Done():
			return false, ctx.Err()
		}
	}
}
