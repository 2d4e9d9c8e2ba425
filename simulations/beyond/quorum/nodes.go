package quorum

import (
	"context"
	_ "embed"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

//go:embed unlock.lua
var unlockSource string
var unlockScript = redis.NewScript(unlockSource)

//go:embed extend.lua
var extendSource string
var extendScript = redis.NewScript(extendSource)

// node is one Redis server. Its commands are carried out in order: what is given back
// must not overtake what was asked for.
type node struct {
	client redis.UniversalClient
	last   chan struct{} // closed when the last command is over
}

// command is sent to one node, and tells whether it did there what it should.
type command func(ctx context.Context, client redis.UniversalClient, key string, lease *lease) (bool, error)

func set(ctx context.Context, client redis.UniversalClient, key string, lease *lease) (bool, error) {
	err := client.Do(ctx, "SET", key, lease.token, "NX", "PX", lease.ttl.Milliseconds()).Err()
	if errors.Is(err, redis.Nil) {
		return false, nil
	}
	return err == nil, err
}

func extend(ctx context.Context, client redis.UniversalClient, key string, lease *lease) (bool, error) {
	return extendScript.Run(ctx, client, []string{key}, lease.token, lease.ttl.Milliseconds()).Bool()
}

// unlock has a time limit of its own, because it may have to wait for its turn.
func unlock(ctx context.Context, client redis.UniversalClient, key string, lease *lease) (bool, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), max(lease.ttl, time.Second))
	defer cancel()
	return unlockScript.Run(ctx, client, []string{key}, lease.token).Bool()
}

// answer is what a node says.
type answer struct {
	yes bool
	err error
}

// answers are counted; a node may give none in time.
type answers struct {
	yes, no int
	err     error
}

var errSlow = errors.New("lock: not all nodes have answered in time")

// ask sends a command to all nodes at once, and counts what comes within a tenth of the
// lease, a second at most: a node that is down must not hold up the others. redis.io asks
// for even less.
func (l *Lock) ask(ctx context.Context, lease *lease, do command) answers {
	ctx, cancel := context.WithTimeout(ctx, min(lease.ttl/10, time.Second))
	defer cancel()
	return l.count(ctx, l.send(ctx, lease, do), len(l.nodes))
}

// release deletes the key where it has our token, and waits until enough nodes say so.
func (l *Lock) release(ctx context.Context, lease *lease) answers {
	return l.count(ctx, l.send(ctx, lease, unlock), l.quorum())
}

// send starts a command on every node.
func (l *Lock) send(ctx context.Context, lease *lease, do command) <-chan answer {
	came := make(chan answer, len(l.nodes))
	for _, n := range l.nodes {
		n.inOrder(func() {
			a := answer{err: errSlow}
			defer func() { came <- a }() // whatever happens to this goroutine
			a.yes, a.err = do(ctx, n.client, key(l.name), lease)
		})
	}
	return came
}

// count waits for answers: for all of them, or until enough are alike.
func (l *Lock) count(ctx context.Context, came <-chan answer, enough int) (got answers) {
	for range l.nodes {
		select {
		case a := <-came:
			switch {
			case a.err != nil:
				got.err = errors.Join(got.err, a.err)
			case a.yes:
				got.yes++
			default:
				got.no++
			}
		case <-ctx.Done():
			got.err = errors.Join(got.err, errSlow)
			return got
		}
		if max(got.yes, got.no) >= enough {
			return got
		}
	}
	return got
}

func (l *Lock) quorum() int { return len(l.nodes)/2 + 1 }

// holds tells whether a majority said yes; denied, whether so many said no that it cannot.
func (l *Lock) holds(got answers) bool  { return got.yes >= l.quorum() }
func (l *Lock) denied(got answers) bool { return got.no > len(l.nodes)-l.quorum() }

// inOrder calls do when the command before it is over.
func (n *node) inOrder(do func()) {
	before, done := n.last, make(chan struct{})
	n.last = done
	go func() {
		defer close(done)
		if before != nil {
			<-before
		}
		do()
	}()
}
