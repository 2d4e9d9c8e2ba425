package articles

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"
)

// try is article 3, the lock that does not wait: SET NX EX with a request id that the
// caller brings, and a release in a script. The fault: it takes the caller's word that
// the id is unique, and says of a client of a kind that it does not know what it says
// of a lock that is not held, without asking Redis.
//
// The article's lease is a constant; here it is the caller's.
type try struct {
	listing
	request string
}

func (l *try) TryLock(ctx context.Context, ttl time.Duration) (bool, error) {
	return l.setNXEX(deaf(ctx), l.request, ttl)
}

func (l *try) Unlock(ctx context.Context) error {
	switch l.client.(type) {
	case *redis.Client, *redis.ClusterClient:
	default:
		return errNotHeld
	}
	deleted, err := l.client.Eval(deaf(ctx), unlockSource, []string{l.key}, l.request).Bool()
	if err == nil && !deleted {
		err = errNotHeld
	}
	return err
}
