// Exercise 7: article 2's token is a constant of the program.
//
// The script compares and deletes in one step, and still A's late release deletes the
// lock of B. Find out whose token B's is.
package exercise

import (
	"context"
	_ "embed"
	"errors"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

//go:embed unlock.lua
var unlockSource string
var unlock = redis.NewScript(unlockSource)

// TODO: whose token is this?
const constantToken = "unique"

// Lock is the lock at lock:{name}. One *Lock is one holder: a call made while
// another one runs on it gets ErrBusy and sends nothing.
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

// TryLock takes the lock for ttl, sent in whole milliseconds. False: another holds it.
// Errors: ErrInvalid, ErrHeld, that of ctx or of Redis.
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
	token := constantToken
	err := l.client.Do(ctx, "SET", key(l.name), token, "NX", "PX", ttl.Milliseconds(), "GET").Err()
	if errors.Is(err, redis.Nil) { // nothing was there
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
