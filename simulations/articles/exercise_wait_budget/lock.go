// Exercise 8: article 3's wait counts only its own sleeps.
//
// On a slow network each TryLock takes time, too, and the wait lasts longer than its
// budget. When ctx ends, Lock must return, and what is won after that be given back.
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

// Lock waits for the lock and takes it for ttl. The deadline of ctx is the budget of
// the wait. Errors: those of TryLock, and context.DeadlineExceeded.
func (l *Lock) Lock(ctx context.Context, ttl time.Duration) error {
	left := time.Hour
	if deadline, ok := ctx.Deadline(); ok {
		left = time.Until(deadline)
	}
	// TODO: a call of TryLock takes time, too, and ctx may end in the middle of it.
	for ; left >= 0; left -= pause {
		taken, err := l.TryLock(context.WithoutCancel(ctx), ttl)
		if taken || err != nil {
			return err
		}
		time.Sleep(pause)
	}
	return context.DeadlineExceeded
}

// pause is how long Lock sleeps between two tries.
const pause = 100 * time.Millisecond

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
