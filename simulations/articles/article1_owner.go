package articles

import (
	"context"
	"crypto/rand"
	"errors"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"
)

// owner is article 1, part 2: the value is the process's random id and the thread's
// id; the release is GET, compare, DEL. The fault: the lock can change hands between
// the GET and the DEL. And the value is the thread's, not the acquisition's, so a
// thread's late release deletes the lock that the same thread took since.
type owner struct {
	listing
	process string
	thread  int
}

// newProcess is the id that a process gives itself when it starts.
func newProcess() string { return rand.Text() + "-" }

func (l *owner) value() string { return l.process + strconv.Itoa(l.thread) }

func (l *owner) TryLock(ctx context.Context, ttl time.Duration) (bool, error) {
	return l.setNXEX(deaf(ctx), l.value(), ttl)
}

// Unlock tells nobody that there was nothing to release: the article's has no answer.
func (l *owner) Unlock(ctx context.Context) error {
	value, err := l.client.Get(deaf(ctx), l.key).Result()
	switch {
	case errors.Is(err, redis.Nil):
		return nil
	case err != nil:
		return err
	case value != l.value():
		return nil
	}
	return l.client.Del(deaf(ctx), l.key).Err()
}
