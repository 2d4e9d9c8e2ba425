package quorum

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
)

//go:embed lock.lua
var lockSource string
var lock = redis.NewScript(lockSource)

//go:embed unlock.lua
var unlockSource string
var unlock = redis.NewScript(unlockSource)

//go:embed extend.lua
var extendSource string
var extend = redis.NewScript(extendSource)

// ErrNoAnswer: a node has not answered in time.
var ErrNoAnswer = errors.New("lock: no answer in time")

// node is one Redis server. Only one command is on its way to it, so that what is given
// back does not overtake what was asked for.
type node struct {
	nth    int // from 0
	client redis.UniversalClient
	turn   chan struct{} // full while a command is on its way
}

// answer is what a node says, yes or no or an error.
type answer struct {
	node int
	yes  bool
	err  error
}

// answers are counted.
type answers struct {
	yes, no int
	err     error // of all nodes that said neither
}

// ask runs a script on all nodes at once, and counts what comes within a tenth of the
// lease, a second at most: a node that is down must not hold up the others. redis.io asks
// for even less.
func (l *Lock) ask(ctx context.Context, lease *lease, script *redis.Script) answers {
	ctx, cancel := context.WithTimeout(ctx, min(lease.ttl/10, time.Second))
	defer cancel()
	return l.count(ctx, l.send(ctx, lease, script), len(l.nodes))
}

// release deletes the key where it has our token, and waits until enough nodes say so. It
// counts no time: a process that stood still would take its nodes for slow.
func (l *Lock) release(ctx context.Context, lease *lease) answers {
	return l.count(ctx, l.send(ctx, lease, unlock), l.quorum())
}

// send starts a script on every node.
func (l *Lock) send(ctx context.Context, lease *lease, script *redis.Script) <-chan answer {
	came := make(chan answer, len(l.nodes))
	for i, n := range l.nodes {
		go func() {
			a := answer{node: i, err: ErrNoAnswer}
			defer func() { came <- a }() // whatever happens to this goroutine
			a.yes, a.err = n.run(ctx, script, key(l.name), lease)
		}()
	}
	return came
}

// run waits for the node's turn, as long as ctx allows. What is given back waits for as
// long as it takes, and has then a time limit of its own; where nothing was asked for,
// nothing is given back.
func (n *node) run(ctx context.Context, script *redis.Script, key string, lease *lease) (bool, error) {
	asked := &lease.asked[n.nth]
	if script == unlock {
		if !asked.Load() {
			return false, nil
		}
		ctx = context.WithoutCancel(ctx)
	}
	select {
	case n.turn <- struct{}{}:
		defer func() { <-n.turn }()
	case <-ctx.Done():
		return false, ErrNoAnswer
	}
	asked.Store(true) // and then the look at ctx: whoever gives back has ended it before
	if ctx.Err() != nil {
		return false, ErrNoAnswer
	}
	if script == unlock {
		limited, cancel := context.WithTimeout(ctx, max(lease.ttl, time.Second))
		defer cancel()
		ctx = limited
	}
	return script.Run(ctx, n.client, []string{key}, lease.token, lease.ttl.Milliseconds()).Bool()
}

// count waits for answers: for all of them, or until enough are alike.
func (l *Lock) count(ctx context.Context, came <-chan answer, enough int) (got answers) {
	errs := make([]error, len(l.nodes))
	for i := range errs {
		errs[i] = ErrNoAnswer
	}
	for open := len(l.nodes); open > 0 && max(got.yes, got.no) < enough; open-- {
		select {
		case a := <-came:
			errs[a.node] = a.err
			switch {
			case a.err != nil:
			case a.yes:
				got.yes++
			default:
				got.no++
			}
		case <-ctx.Done():
			open = 0
		}
	}
	for i, err := range errs {
		if err != nil {
			got.err = errors.Join(got.err, fmt.Errorf("node %d: %w", i+1, err))
		}
	}
	return got
}

func (l *Lock) quorum() int { return len(l.nodes)/2 + 1 }

// holds tells whether a majority said yes; denied, whether so many said no that it cannot.
func (l *Lock) holds(got answers) bool  { return got.yes >= l.quorum() }
func (l *Lock) denied(got answers) bool { return got.no > len(l.nodes)-l.quorum() }
