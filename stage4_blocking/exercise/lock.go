// Exercise 4: the release reaches who waits.
//
// Lock is new here: it waits until the holder's lease is over. But most holders give
// the lock back long before. Let who waits have it less than half a second after that.
package exercise

import (
	"context"
	"crypto/rand"
	_ "embed"
	"errors"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

//go:embed unlock.lua
var unlockSource string
var unlock = redis.NewScript(unlockSource)

// Lock is the lock at lock:{name}. One *Lock is one holder: a call made while TryLock
// or Unlock runs on it gets ErrBusy and sends nothing.
// A holder must NOT assume that it is alone: when its lease ends, others get in.
// Unlock never deletes their lock, but the work done meanwhile was not alone.
type Lock struct {
	client redis.UniversalClient
	name   string
	busy   sync.Mutex // locked while a call runs
	token  string     // of this acquisition; empty when not held
}

// New returns the lock called name, not held. TryLock reports bad input.
func New(client redis.UniversalClient, name string) *Lock {
	return &Lock{client: client, name: name}
}

// TryLock takes the lock for ttl, sent in whole milliseconds. False: another holds
// it. Errors: ErrInvalid, ErrHeld, that of ctx or of Redis; after one of Redis the
// lock may be taken, for ttl and by nobody. Article 1, part 3; needs Redis 7.0.
func (l *Lock) TryLock(ctx context.Context, ttl time.Duration) (bool, error) {
	if !l.busy.TryLock() {
		return false, ErrBusy
	}
	defer l.busy.Unlock()
	if l.token != "" {
		return false, ErrHeld
	}
	if err := checkInput(ctx, l.client, l.name, ttl); err != nil {
		return false, err
	}
	token := rand.Text()
	before, err := l.client.Do(ctx, "SET", key(l.name), token, "NX", "PX", ttl.Milliseconds(), "GET").Text()
	if errors.Is(err, redis.Nil) || before == token { // nothing was there, or the client sent it twice
		l.token, err = token, nil
	}
	return l.token != "", err
}

// Lock waits for the lock and takes it for ttl. The context is the budget: when it
// ends, so does the wait. Errors: those of TryLock, and that of ctx.
func (l *Lock) Lock(ctx context.Context, ttl time.Duration) error {
	for {
		taken, err := l.TryLock(ctx, ttl)
		if taken || err != nil {
			return err
		}
		left, err := l.client.PTTL(ctx, key(l.name)).Result()
		if err != nil {
			return err
		}
		// TODO: wake up when the lock is given back, and not only when its lease ends.
		select {
		case <-time.After(max(left, time.Millisecond)):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Unlock deletes the key if it has our token, and else returns ErrNotHeld. After
// an error of ctx or of Redis it still counts as held: call Unlock again.
func (l *Lock) Unlock(ctx context.Context) error {
	if !l.busy.TryLock() {
		return ErrBusy
	}
	defer l.busy.Unlock()
	if l.token == "" {
		return ErrNotHeld
	}
	ctx = context.WithoutCancel(ctx) // the budget of the wait may be over
	deleted, err := unlock.Run(ctx, l.client, []string{key(l.name)}, l.token).Int64()
	if err != nil {
		return err
	}
	l.token = ""
	if deleted == 0 {
		return ErrNotHeld
	}
	return nil
}
