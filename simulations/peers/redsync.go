package peers

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/go-redsync/redsync/v4"
	redsyncredis "github.com/go-redsync/redsync/v4/redis"
	"github.com/go-redsync/redsync/v4/redis/goredis/v9"
	"github.com/redis/go-redis/v9"
)

// Redsync is a holder that uses github.com/go-redsync/redsync/v4 as its README does.
type Redsync struct {
	sync    *redsync.Redsync
	key     string
	options []redsync.Option
	ttl     time.Duration // of the mutex
	mutex   *redsync.Mutex
}

// Pools are clients as redsync wants them.
func Pools(clients []redis.UniversalClient) (pools []redsyncredis.Pool) {
	for _, client := range clients {
		pools = append(pools, goredis.NewPool(client))
	}
	return pools
}

// NewRedsync returns a holder of lock:{name} on one Redis or several.
func NewRedsync(pools []redsyncredis.Pool, name string) *Redsync {
	return &Redsync{sync: redsync.New(pools...), key: key(name)}
}

// open makes the mutex at the first call, because the TTL is one of its options.
func (r *Redsync) open(ttl time.Duration) *redsync.Mutex {
	if r.mutex == nil || r.ttl != ttl {
		r.ttl, r.mutex = ttl, r.sync.NewMutex(r.key, append(r.options, redsync.WithExpiry(ttl))...)
	}
	return r.mutex
}

func (r *Redsync) TryLock(ctx context.Context, ttl time.Duration) (bool, error) {
	err := r.open(ttl).TryLockContext(ctx)
	if errors.As(err, new(*redsync.ErrTaken)) {
		return false, nil
	}
	return err == nil, err
}

func (r *Redsync) Lock(ctx context.Context, ttl time.Duration) error {
	return r.open(ttl).LockContext(ctx)
}

// Unlock does not ask whether the lock is held: redsync says it.
func (r *Redsync) Unlock(ctx context.Context) error {
	_, err := r.open(r.ttl).UnlockContext(ctx)
	return err
}

// CarefulRedsync tries until its context ends, and works under a context that ends with
// the validity of the lock.
type CarefulRedsync struct {
	Redsync
	ctx  context.Context
	stop context.CancelFunc
}

// NewCarefulRedsync returns a holder of lock:{name} on one Redis or several.
func NewCarefulRedsync(pools []redsyncredis.Pool, name string) *CarefulRedsync {
	r := &CarefulRedsync{Redsync: *NewRedsync(pools, name)}
	r.options = []redsync.Option{
		redsync.WithTries(math.MaxInt),
		redsync.WithRetryDelay(100 * time.Millisecond), // as often as redislock
	}
	return r
}

func (r *CarefulRedsync) TryLock(ctx context.Context, ttl time.Duration) (bool, error) {
	taken, err := r.Redsync.TryLock(ctx, ttl)
	if taken {
		r.work()
	}
	return taken, err
}

func (r *CarefulRedsync) Lock(ctx context.Context, ttl time.Duration) error {
	err := r.Redsync.Lock(ctx, ttl)
	if err == nil {
		r.work()
	}
	return err
}

func (r *CarefulRedsync) work() {
	r.ctx, r.stop = context.WithDeadline(context.Background(), r.mutex.Until())
}

// Context ends with the validity of the lock.
func (r *CarefulRedsync) Context() context.Context { return r.ctx }

func (r *CarefulRedsync) Unlock(ctx context.Context) error {
	if r.stop != nil {
		r.stop()
	}
	return r.Redsync.Unlock(ctx)
}
