package articles

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

// setnxExpire is article 2, way 1: SETNX, then EXPIRE; the release reads the value
// twice, compares the two and sends DEL. The fault: who dies between SETNX and EXPIRE
// leaves a lock that never ends, and the release compares the value with itself, so
// that anybody may release.
type setnxExpire struct{ listing }

func (l *setnxExpire) TryLock(ctx context.Context, ttl time.Duration) (bool, error) {
	value := rand.Text() // unique, and forgotten when the call returns
	taken, err := l.client.Do(deaf(ctx), "SETNX", l.key, value).Bool()
	if err != nil || !taken {
		return false, err
	}
	err = l.client.Do(deaf(ctx), "EXPIRE", l.key, wholeSeconds(ttl)).Err()
	return err == nil, err
}

func (l *setnxExpire) Unlock(ctx context.Context) error {
	value, err := l.client.Get(deaf(ctx), l.key).Result()
	if errors.Is(err, redis.Nil) {
		return errNotHeld
	} else if err != nil {
		return err
	}
	again, err := l.client.Get(deaf(ctx), l.key).Result()
	if errors.Is(err, redis.Nil) {
		return errNotHeld
	} else if err != nil {
		return err
	}
	if value != again {
		return errNotHeld
	}
	return l.client.Del(deaf(ctx), l.key).Err()
}
