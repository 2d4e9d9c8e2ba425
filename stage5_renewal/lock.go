// Package renewal is stage 5: keep the lock while working, be told when it is gone.
package renewal

import (
	"context"
	"crypto/rand"
	_ "embed"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
)

//go:embed lock.lua
var lockSource string
var lock = redis.NewScript(lockSource)

//go:embed unlock.lua
var unlockSource string
var unlock = redis.NewScript(unlockSource)

// ErrLost is the cause of Context's end when the lease could not be kept.
var ErrLost = errors.New("lock: lost, the lease could not be kept")

// Lock is the lock at lock:{name}. One *Lock is one holder: a call made while
// another one runs on it gets ErrBusy and sends nothing.
//
// A holder must NOT assume that a look at Context makes the next write safe. The
// process can stand still between the two, and Context can look alive for some
// milliseconds after that. Only the store can refuse a late write.
// A waiter must NOT assume that it is next: a newcomer may come between.
type Lock struct {
	client redis.UniversalClient
	name   string
	busy   sync.Mutex // locked while a call runs
	lease  *lease     // ours; or, after an error, perhaps ours
	held   bool       // ours for certain
	renew  atomic.Pointer[renewal]
}

// lease is one acquisition, from before its first try until it is given back.
type lease struct {
	token   string
	ttl     time.Duration         // in whole milliseconds, as it is sent
	sent    time.Time             // before the command that granted it last
	trouble atomic.Pointer[error] // why Redis gives a waiter no answer, if so
}

// New returns the lock called name, not held. TryLock and Lock report bad input.
func New(client redis.UniversalClient, name string) *Lock {
	return &Lock{client: client, name: name}
}

// TryLock takes the lock and renews it every third of ttl. False: another holds
// it. Errors: ErrInvalid, ErrHeld, that of ctx, of Redis, or ErrLost if the reply took
// as long as the lease. After the last two it may be ours: TryLock again, or Unlock.
func (l *Lock) TryLock(ctx context.Context, ttl time.Duration) (bool, error) {
	return l.acquire(ctx, ttl, l.try)
}

// Lock waits for the lock and takes it like TryLock. The context is the budget: when it
// ends, so does the wait, and what is won too late is given back; if that is lost, or
// overtaken on the network, the key stays for one ttl. Errors: those of TryLock. While
// Redis does not answer, Lock goes on trying, for one ttl at most, and joins the last
// failure to the error of ctx. From article 3, with the release as its own wake-up.
func (l *Lock) Lock(ctx context.Context, ttl time.Duration) error {
	_, err := l.acquire(ctx, ttl, l.wait)
	return err
}

// Context ends with cause ErrLost before the lease can end and let anyone else in, or at
// the next renewal if somebody deleted the key, and else with cause ErrNotHeld at Unlock.
// Without a lock it has ended. Work under it.
func (l *Lock) Context() context.Context {
	if renew := l.renew.Load(); renew != nil {
		return renew.ctx
	}
	return nothingHeld
}

// Unlock ends the renewal, waits for it, and deletes the key if it has our token, or
// returns ErrNotHeld; ErrLost is joined if Context had told of the loss. It works
// although ctx has ended, bounded by the client's timeouts. After an error of Redis
// it counts as held: call Unlock again. ErrNotHeld can then mean that the first call
// deleted the key, and so it can if the client sends twice.
func (l *Lock) Unlock(ctx context.Context) error {
	if !l.busy.TryLock() {
		return ErrBusy
	}
	defer l.busy.Unlock()
	if l.lease == nil {
		return ErrNotHeld
	}
	lost := l.renew.Load().end()
	deleted, err := l.release(ctx, l.lease)
	if err != nil {
		return errors.Join(err, lost)
	}
	l.lease, l.held = nil, false
	if deleted == 0 {
		return errors.Join(ErrNotHeld, lost)
	}
	return lost
}

// acquire makes the attempt, which is try or wait, and remembers what came of it.
func (l *Lock) acquire(ctx context.Context, ttl time.Duration, attempt attempt) (bool, error) {
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
	if l.lease == nil {
		l.lease = &lease{token: rand.Text()}
	}
	l.lease.ttl = ttl.Truncate(time.Millisecond)
	l.renew.Store(nil)
	taken, kept, err := l.beside(ctx, l.lease, attempt)
	if taken {
		l.renew.Store(l.startRenewal(ctx, l.lease))
	}
	if !kept {
		l.lease = nil
	}
	l.held = taken
	return taken, err
}

func (l *Lock) try(ctx context.Context, lease *lease) (bool, error) {
	left, err := l.ask(ctx, lease, false)
	return err == nil && left == 0, err
}

// ask returns how long the lock is still another's, and 0 if it is ours now. With
// queue it also joins the queue of those whom Unlock wakes.
func (l *Lock) ask(ctx context.Context, lease *lease, queue bool) (left time.Duration, err error) {
	sent := time.Now()
	ms, err := lock.Run(ctx, l.client, l.keys(), lease.token, lease.ttl.Milliseconds(), queue).Int64()
	if err == nil && ms == 0 && !lease.grant(sent) {
		err = ErrLost // the reply took longer than the lease
	}
	return time.Duration(ms) * time.Millisecond, err
}

// release gives the lease back, if it was ours, and leaves the queue.
func (l *Lock) release(ctx context.Context, lease *lease) (deleted int64, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), max(lease.ttl, time.Second))
	defer cancel()
	return unlock.Run(ctx, l.client, l.keys(), lease.token).Int64()
}

func (l *Lock) keys() []string { return []string{key(l.name), key(l.name) + ":waiters"} }
