package articles

import (
	"context"
	_ "embed"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

// listing is what all of them have: a client and a key.
type listing struct {
	client redis.UniversalClient
	key    string
}

// key has no hash tag: on a Cluster, nothing could stand beside it.
func key(name string) string { return "lock:" + name }

// unlockSource compares and deletes. All three articles print this script.
//
//go:embed unlock.lua
var unlockSource string

// errNotHeld is the false that articles 2 and 3 answer to a release.
var errNotHeld = errors.New("lock: not held")

// setNXEX is the one command of articles 1 and 3 that takes the lock.
func (l listing) setNXEX(ctx context.Context, value string, ttl time.Duration) (bool, error) {
	err := l.client.Do(ctx, "SET", l.key, value, "NX", "EX", wholeSeconds(ttl)).Err()
	if errors.Is(err, redis.Nil) {
		return false, nil
	}
	return err == nil, err
}

// wholeSeconds cuts off the rest, as a Java caller's division does.
func wholeSeconds(ttl time.Duration) int64 { return int64(ttl / time.Second) }

// deaf is ctx without its end: the articles' calls know no deadline and no cancelling.
func deaf(ctx context.Context) context.Context { return context.WithoutCancel(ctx) }
