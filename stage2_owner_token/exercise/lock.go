// Exercise 2: the lock says whose it is.
//
// Whoever unlocks late deletes the key of the one who came after. Give every
// acquisition a token of its own (crypto/rand.Text), and let Unlock ask for it first.
package exercise

import (
	"context"
	"errors"
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

// TryLock takes the lock for ttl, sent in whole milliseconds. False: another holds
// it, or the client has sent the command twice. Errors: ErrInvalid, ErrHeld, that of
// ctx or of Redis; after one of Redis the lock may be taken, for ttl and by nobody.
// From article 1, part 1. It needs Redis 7.0, for GET beside NX.
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
	err := l.client.Do(ctx, "SET", key(l.name), "held", "NX", "PX", ttl.Milliseconds(), "GET").Err()
	if errors.Is(err, redis.Nil) { // GET tells what was there before: nothing, so it is ours
		l.held, err = true, nil
	}
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
	// TODO: delete the key only if it has our token. (TryLock must put one there.)
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
