// Package quorum is a lock on several Redis servers that know nothing of each other:
// Redlock, as redis.io specifies it ("Distributed Locks with Redis"). Its caller waits.
package quorum

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
)

// ErrLost is the cause of Context's end when the lease could not be kept.
var ErrLost = errors.New("lock: lost, the lease could not be kept")

// Lock is the lock at lock:{name} on most of the nodes. One *Lock is one holder: a call
// made while another one runs on it gets ErrBusy and sends nothing.
//
// A holder must NOT assume that it is alone when its process stood still, when a node
// came back without its keys within a TTL, or when a node's clock jumped: Redlock needs
// clocks that run alike, and nodes that stay away for a TTL after a crash. It has no
// fencing token (Kleppmann, "How to do distributed locking", 2016).
type Lock struct {
	nodes []*node
	name  string
	busy  sync.Mutex // locked while a call runs
	lease *lease     // ours; nil when not held
	renew atomic.Pointer[renewal]
}

// lease is one acquisition.
type lease struct {
	token string
	ttl   time.Duration // in whole milliseconds, as it is sent
	sent  time.Time     // before the first of the commands that granted it last
	asked []atomic.Bool // of each node: whether a command was sent to it, or may have been
}

// New returns the lock called name, not held. There is one client for each node; three
// or five are usual, of servers that do not replicate each other. TryLock reports bad
// input.
func New(clients []redis.UniversalClient, name string) *Lock {
	l := &Lock{name: name}
	for i, client := range clients {
		l.nodes = append(l.nodes, &node{i, client, make(chan struct{}, 1)})
	}
	return l
}

// TryLock takes the lock on most nodes, and renews it every third of ttl. Each node has a
// tenth of ttl to answer, a second at most. False: others hold too many nodes, or try at
// the same moment, so try again after a random time. Errors: ErrInvalid, ErrHeld, that of
// ctx, those of the nodes (ErrNoAnswer among them), or ErrLost if nothing was left of the
// lease when they had answered. When TryLock does not take the
// lock, it gives back on every node what it may have got there; if that is lost, or
// overtaken on the network, a key stays for one ttl.
func (l *Lock) TryLock(ctx context.Context, ttl time.Duration) (bool, error) {
	if !l.busy.TryLock() {
		return false, ErrBusy
	}
	defer l.busy.Unlock()
	if l.lease != nil {
		return false, ErrHeld
	}
	if err := checkInput(ctx, l.nodes, l.name, ttl); err != nil {
		return false, err
	}
	lease := &lease{rand.Text(), ttl.Truncate(time.Millisecond), time.Now(), make([]atomic.Bool, len(l.nodes))}
	got := l.ask(ctx, lease, lock)
	if l.holds(got) && lease.grant(lease.sent) {
		l.lease = lease
		l.renew.Store(l.startRenewal(ctx, lease))
		return true, nil
	}
	l.ask(ctx, lease, unlock)
	switch {
	case ctx.Err() != nil:
		return false, fmt.Errorf("lock: gave up: %w", ctx.Err())
	case l.holds(got):
		return false, ErrLost
	case l.denied(got):
		return false, nil
	}
	return false, got.err
}

// Context ends with cause ErrLost before the lease can end on most nodes, or at the next
// renewal if most have lost it, and with cause ErrNotHeld at Unlock. Without a lock it
// has ended. Work under it.
func (l *Lock) Context() context.Context {
	if renew := l.renew.Load(); renew != nil {
		return renew.ctx
	}
	return nothingHeld
}

// Unlock ends the renewal, waits for it, and deletes the key on every node where it has
// our token. It returns when most nodes have answered; the others may hear of it later.
// ErrNotHeld: most of them had not our token; ErrLost is joined if Context had told of the
// loss. It works although ctx has ended, bounded by the client's timeouts, of which there
// may be two: of a renewal that hangs, and its own.
// If too many nodes do not answer, it returns their errors, and counts as held: call Unlock
// again. ErrNotHeld can then mean that the first call deleted the keys.
func (l *Lock) Unlock(ctx context.Context) error {
	if !l.busy.TryLock() {
		return ErrBusy
	}
	defer l.busy.Unlock()
	if l.lease == nil {
		return ErrNotHeld
	}
	lost := l.renew.Load().end()
	got := l.release(context.WithoutCancel(ctx), l.lease)
	if !l.holds(got) && !l.denied(got) {
		return errors.Join(got.err, lost)
	}
	l.lease = nil
	if l.denied(got) {
		return errors.Join(ErrNotHeld, lost)
	}
	return lost
}
