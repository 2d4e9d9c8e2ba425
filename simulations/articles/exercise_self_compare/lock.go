// Exercise 6: article 2's release compares the value with itself.
//
// It reads the value twice, to see that nobody else has taken the lock meanwhile. Then
// anybody may release anybody's lock. Find out what it must compare with.
package exercise

import (
	"context"
	"crypto/rand"
	"errors"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

// Lock is the lock at lock:{name}. One *Lock is one holder: a call made while
// another one runs on it gets ErrBusy and sends nothing.
type Lock struct {
	client redis.UniversalClient
	name   string
	busy   sync.Mutex // locked while a call runs
	held   bool
}

// New returns the lock called name, not held. TryLock reports bad input.
func New(client redis.UniversalClient, name string) *Lock {
	return &Lock{client: client, name: name}
}

// TryLock takes the lock for ttl, sent in whole milliseconds. False: another holds it.
// Errors: ErrInvalid, ErrHeld, that of ctx or of Redis. The value is unique.
func (l *Lock) TryLock(ctx context.Context, ttl time.Duration) (bool, error) {
	if !l.busy.TryLock() {
		return false, ErrBusy
	}
	defer l.busy.Unlock()
	if l.held {
		return false, ErrHeld
	}
	if err := checkInput(ctx, l.client, l.name, ttl); err != nil {
		return false, err
	}
	err := l.client.Do(ctx, "SET", key(l.name), rand.Text(), "NX", "PX", ttl.Milliseconds(), "GET").Err()
	if errors.Is(err, redis.Nil) { // nothing was there
		l.held, err = true, nil
	}
	return l.held, err
}

// Unlock deletes the key if its value is the right one, and else returns ErrNotHeld.
// After an error of ctx or of Redis it still counts as held: call Unlock again.
func (l *Lock) Unlock(ctx context.Context) error {
	if !l.busy.TryLock() {
		return ErrBusy
	}
	defer l.busy.Unlock()
	if !l.held {
		return ErrNotHeld
	}
	if err := checkContext(ctx); err != nil {
		return err
	}
	// TODO: whose lock is it?
	deleted := int64(0)
	value, err := l.client.Get(ctx, key(l.name)).Result()
	if err == nil {
		var again string
		again, err = l.client.Get(ctx, key(l.name)).Result()
		if value == again {
			deleted, err = l.client.Del(ctx, key(l.name)).Result()
		}
	}
	if err != nil && !errors.Is(err, redis.Nil) {
		return err
	}
	l.held = false
	if deleted == 0 {
		return ErrNotHeld
	}
	return nil
}
