package simulations

import (
	"context"
	"net"
	"os"
	"slices"
	"time"

	"github.com/redis/go-redis/v9"
)

// gate is the hook through which every command of an actor passes: it stops there
// before it is sent, and again after its reply. Subscriptions do not pass through it:
// whatever is done to the actor, it hears a wake-up at once.
type gate struct {
	actor *Actor
	node  *Node
}

// faults are what can befall a command between the process and Redis.
type faults struct {
	delay       time.Duration // each way
	partitioned bool          // no request arrives
	loseRequest bool          // of the next command
	lostOne     bool          // its last request never arrived
	somewhere   fault         // in the next call
	passed      int           // commands and writes since the call began
}

// fault is what befalls a call at one of its commands.
type fault int

const (
	noFault    fault = iota
	pause            // before the command
	crash            // after it was carried out
	lostReply        // to it
	standStill       // before the reply is seen
)

// PauseSomewhere stops the whole process somewhere in its next call: a GC pause. Like
// its sisters it makes Play tell the story again for every command of the call at
// which it can happen, and the first story that breaks counts.
func (a *Actor) PauseSomewhere() { a.somewhere = pause }

// CrashSomewhere ends the process after one of the commands of its next call.
func (a *Actor) CrashSomewhere() { a.somewhere = crash }

// LoseReplySomewhere loses the reply to one of the commands of the next call.
func (a *Actor) LoseReplySomewhere() { a.somewhere = lostReply }

// befalls tells whether the fault strikes at the nth command of the call.
func (a *Actor) befalls(f fault, nth int) bool {
	if a.somewhere != f || nth != a.world.nth {
		return false
	}
	a.somewhere = noFault
	a.world.struck = true
	return true
}

// SlowDown makes every request and every reply of the actor take d.
func (a *Actor) SlowDown(d time.Duration) { a.delay = a.world.scaled(d) }

// LoseRequest loses the next command before Redis sees it.
func (a *Actor) LoseRequest() { a.loseRequest = true }

// Partition cuts the actor off: no request arrives until Heal.
func (a *Actor) Partition() {
	a.partitioned = true
	a.world.record(a, "cut off from Redis")
}

// Heal ends a partition.
func (a *Actor) Heal() {
	a.partitioned = false
	a.world.record(a, "can reach Redis again")
}

// readTimeout is how long a client waits for a reply.
const readTimeout = 3 * time.Second

var errNoReply = &net.OpError{Op: "read", Net: "tcp", Err: os.ErrDeadlineExceeded}

// handshake is what a new connection begins with.
var handshake = []string{"hello", "auth", "client", "select", "ping", "readonly", "cluster", "command"}

func (g gate) DialHook(next redis.DialHook) redis.DialHook { return next }

func (g gate) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		return g.pass(ctx, []redis.Cmder{cmd}, func(ctx context.Context, cmd redis.Cmder) error { return next(ctx, cmd) })
	}
}

// A pipeline is one step, named after its last command: EXEC, if it is a transaction.
func (g gate) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		return g.pass(ctx, cmds, func(ctx context.Context, _ redis.Cmder) error { return next(ctx, cmds) })
	}
}

func (g gate) pass(ctx context.Context, cmds []redis.Cmder, send func(context.Context, redis.Cmder) error) error {
	a, w := g.actor, g.actor.world
	cmd := cmds[len(cmds)-1]
	if slices.Contains(handshake, cmds[0].Name()) {
		return send(ctx, cmd)
	}
	t := a.turn()
	t.node = g.node.name
	defer t.over()
	if a.reloads(cmd) {
		t.parkUnderway()
	} else {
		if a.exitIfDead(); ctx.Err() != nil {
			return send(ctx, cmd) // the client refuses by itself
		}
		sent := w.clock()
		t.parkChoice(cmd.Name(), firstArg(cmd))
		a.remember(sent, "sent")
		if a.partitioned || a.loseRequest {
			a.loseRequest, a.lostOne = false, true
			w.record(a, w.command(cmd)+t.where()+" -> lost")
			return t.noReply(cmd)
		}
		if a.delay > 0 {
			t.sleep(a.delay)
		}
	}
	nth := a.passed
	w.learn(a, cmd)
	w.observe(nil)
	carried := cmd
	if a.somewhere == lostReply && nth == w.nth { // a copy, so that the caller cannot see the value
		carried = redis.NewCmd(ctx, cmd.Args()...)
	}
	err := w.unnamed(cmd)
	if err == nil {
		err = send(context.WithoutCancel(ctx), carried) // a context ends no command that is on its way
	}
	if a.mustLoad(cmd, err) {
		cmd.SetErr(err)
		return err // the client sends the script's text next, as part of the same step
	}
	t.parkUnderway() // until all whom it woke have come to a gate
	w.executed(t, g.node, carried, err)
	for _, c := range cmds {
		a.remember(w.clock(), c.String())
	}
	a.exitIfDead()
	if a.befalls(crash, nth) {
		a.die()
		w.record(a, "crashes")
		a.exitIfDead()
	}
	if a.befalls(lostReply, nth) {
		w.record(a, ": the reply is lost")
		return t.noReply(cmd)
	}
	if a.befalls(standStill, nth) {
		a.Stop()
	}
	if a.delay > 0 {
		t.sleep(a.delay)
	}
	t.park("after " + cmd.Name())
	return err
}

// noReply lets the client wait in vain.
func (t *turn) noReply(cmd redis.Cmder) error {
	if w := t.world; !w.explores { // there the connection breaks, and nobody has to wait
		t.over()
		time.Sleep(w.scaled(readTimeout))
	}
	t.park("timeout")
	cmd.SetErr(errNoReply)
	return errNoReply
}
