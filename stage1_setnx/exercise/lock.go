// Exercise 1: one command takes the lock.
//
// Who dies between SETNX and PEXPIRE leaves a key that never ends. Make one command of
// the two, so that the key never exists without its TTL.
package exercise

import (
	"context"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

// Lock is the lock at lock:{name}. One *Lock is one holder: a call made while
// another one runs on it gets ErrBusy and sends nothing.
// A holder must NOT assume that it is alone. When its lease ends, others get in,
// and then its Unlock deletes their lock: the delete does not ask whose it is.
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
// Errors: ErrInvalid, ErrHeld, that of ctx or of Redis.
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
	// TODO: one command instead of two.
	taken, err := l.client.Do(ctx, "SETNX", key(l.name), "held").Bool()
	if err != nil || !taken {
		return false, err
	}
	err = l.client.Do(ctx, "PEXPIRE", key(l.name), ttl.Milliseconds()).Err()
	l.held = err == nil
	return l.held, err
}

// Unlock deletes the key, whoever set it; if there is none, it returns ErrNotHeld.
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
	deleted, err := l.client.Del(ctx, key(l.name)).Result()
	if err != nil {
		return err
	}
	l.held = false
	if deleted == 0 {
		return ErrNotHeld
	}
	return nil
}
