package peers

import (
	"context"
	"errors"
	"time"

	"github.com/redis/rueidis"
	"github.com/redis/rueidis/rueidislock"
)

// Rueidislock is a holder that uses github.com/redis/rueidis/rueidislock as its README
// does for one Redis: one key, renewed every half of its validity.
type Rueidislock struct {
	Options rueidislock.LockerOption // but for KeyValidity, which is the TTL

	name   string
	shared *shared
	ctx    context.Context
	cancel context.CancelFunc
}

// NewRueidislock returns a holder of rueidislock:0:{name}. Close it.
func NewRueidislock(client rueidis.ClientOption, name string) *Rueidislock {
	return &Rueidislock{name: "{" + name + "}", shared: &shared{}, Options: rueidislock.LockerOption{
		ClientOption: client, KeyMajority: 1, NoLoopTracking: true,
	}}
}

// shared is the locker of one process.
type shared struct{ rueidislock.Locker }

// Another is a holder of another lock in the same process.
func (r *Rueidislock) Another(name string) *Rueidislock {
	return &Rueidislock{Options: r.Options, name: "{" + name + "}", shared: r.shared}
}

// open makes the locker at the first call, because the TTL is one of its options, and
// stays what it was.
func (r *Rueidislock) open(ttl time.Duration) (err error) {
	if r.shared.Locker == nil {
		r.Options.KeyValidity = ttl
		r.shared.Locker, err = rueidislock.NewLocker(r.Options)
	}
	return err
}

// Close ends the connection.
func (r *Rueidislock) Close() {
	if r.shared.Locker != nil {
		r.shared.Close()
	}
}

func (r *Rueidislock) TryLock(ctx context.Context, ttl time.Duration) (bool, error) {
	err := r.take(ctx, ttl, rueidislock.Locker.TryWithContext)
	if errors.Is(err, rueidislock.ErrNotLocked) {
		return false, nil
	}
	return err == nil, err
}

func (r *Rueidislock) Lock(ctx context.Context, ttl time.Duration) error {
	return r.take(ctx, ttl, rueidislock.Locker.WithContext)
}

// Context ends when the lock is lost or unlocked.
func (r *Rueidislock) Context() context.Context { return r.ctx }

func (r *Rueidislock) Unlock(context.Context) error {
	if r.cancel != nil {
		r.cancel()
	}
	return nil
}

// take gives rueidislock a context that ends while it waits, and not while it holds: its
// locks end with the context they were asked for with.
func (r *Rueidislock) take(ctx context.Context, ttl time.Duration, ask func(rueidislock.Locker, context.Context, string) (context.Context, context.CancelFunc, error)) error {
	if err := r.open(ttl); err != nil {
		return err
	}
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, end)
	lease, cancel, err := ask(r.shared.Locker, life, r.name)
	if err == nil && !stop() { // too late
		cancel()
	}
	if err := errors.Join(err, ctx.Err()); err != nil {
		end()
		return err
	}
	r.ctx, r.cancel = lease, cancel
	return nil
}
