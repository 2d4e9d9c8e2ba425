// Exercise 3: compare and delete in one step.
//
// A process can stop between GET and DEL, and its DEL comes too late. Put both into one
// Lua script: in a new file unlock.lua beside this one, embedded, or in a string here.
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
// A holder must NOT assume that it is alone: when its lease ends, others get in.
// Unlock asks whose the lock is, but the answer can be old when the DEL arrives.
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
// lock may be taken, for ttl and by nobody. Article 1, part 2; needs Redis 7.0.
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
	if err := checkContext(ctx); err != nil {
		return err
	}
	// TODO: one script instead of GET, compare, DEL.
	deleted := int64(0)
	owner, err := l.client.Get(ctx, key(l.name)).Result()
	if owner == l.token {
		deleted, err = l.client.Del(ctx, key(l.name)).Result()
	}
	if err != nil && !errors.Is(err, redis.Nil) {
		return err
	}
	l.token = ""
	if deleted == 0 {
		return ErrNotHeld
	}
	return nil
}
