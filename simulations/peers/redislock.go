package peers

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/bsm/redislock"
	"github.com/redis/go-redis/v9"
)

// Redislock is a holder that uses github.com/bsm/redislock as its README does: Obtain
// without options, which asks once.
type Redislock struct {
	client *redislock.Client
	key    string
	lock   *redislock.Lock
}

// NewRedislock returns a holder of lock:{name}.
func NewRedislock(client redis.UniversalClient, name string) *Redislock {
	return &Redislock{client: redislock.New(client), key: key(name)}
}

func (r *Redislock) TryLock(ctx context.Context, ttl time.Duration) (bool, error) {
	return r.obtain(ctx, ttl, nil)
}

func (r *Redislock) Unlock(ctx context.Context) error { return r.lock.Release(ctx) }

func (r *Redislock) obtain(ctx context.Context, ttl time.Duration, options *redislock.Options) (bool, error) {
	lock, err := r.client.Obtain(ctx, r.key, ttl, options)
	if errors.Is(err, redislock.ErrNotObtained) {
		return false, nil
	}
	if err == nil {
		r.lock = lock
	}
	return err == nil, err
}

// CarefulRedislock has a token of its own for each acquisition, which it keeps for the
// next try: redislock then recognises a lock that it has already. And it waits.
type CarefulRedislock struct {
	Redislock
	Retry func() redislock.RetryStrategy // of a wait
	token string
}

// NewCarefulRedislock returns a holder of lock:{name}.
func NewCarefulRedislock(client redis.UniversalClient, name string) *CarefulRedislock {
	return &CarefulRedislock{Redislock: *NewRedislock(client, name), Retry: func() redislock.RetryStrategy {
		return redislock.LinearBackoff(100 * time.Millisecond)
	}}
}

func (r *CarefulRedislock) TryLock(ctx context.Context, ttl time.Duration) (bool, error) {
	return r.obtain(ctx, ttl, redislock.NoRetry())
}

// Lock asks every 100 ms, as redislock's own example does, which tries three times.
func (r *CarefulRedislock) Lock(ctx context.Context, ttl time.Duration) error {
	taken, err := r.obtain(ctx, ttl, r.Retry())
	if err == nil && !taken {
		err = redislock.ErrNotObtained
	}
	return err
}

func (r *CarefulRedislock) obtain(ctx context.Context, ttl time.Duration, retry redislock.RetryStrategy) (bool, error) {
	if r.token == "" {
		r.token = rand.Text()
	}
	taken, err := r.Redislock.obtain(ctx, ttl, &redislock.Options{Token: r.token, RetryStrategy: retry})
	if err == nil {
		r.token = ""
	}
	return taken, err
}
