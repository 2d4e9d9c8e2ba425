package simulations

import (
	"context"
	"net"
	"os"
	"time"

	"github.com/redis/go-redis/v9"
)

// gate is the hook through which every command of an actor passes: it stops there
// before it is sent, and again after its reply.
type gate struct{ actor *Actor }

// faults are what can befall a command between the process and Redis.
type faults struct {
	delay       time.Duration // each way
	partitioned bool          // no request arrives
	loseRequest bool          // of the next command
	loseReply   bool          // of the next command
	crashAfter  bool          // the process dies when the next command was carried out
}

// SlowDown makes every request and every reply of the actor take d.
func (a *Actor) SlowDown(d time.Duration) { a.delay = d }

// LoseRequest loses the next command before Redis sees it.
func (a *Actor) LoseRequest() { a.loseRequest = true }

// LoseReply loses the reply of the next command, which is carried out.
func (a *Actor) LoseReply() { a.loseReply = true }

// CrashAfterCommand ends the process as soon as its next command was carried out.
func (a *Actor) CrashAfterCommand() { a.crashAfter = true }

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

// readTimeout is how long a client waits for a reply: the default of go-redis.
const readTimeout = 3 * time.Second

var errNoReply = &net.OpError{Op: "read", Net: "tcp", Err: os.ErrDeadlineExceeded}

func (g gate) DialHook(next redis.DialHook) redis.DialHook { return next }

func (g gate) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		return g.pass(ctx, cmd, func(ctx context.Context, cmd redis.Cmder) error { return next(ctx, cmd) })
	}
}

// A pipeline is one step, named after its last command: EXEC, if it is a transaction.
func (g gate) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		return g.pass(ctx, cmds[len(cmds)-1], func(ctx context.Context, _ redis.Cmder) error { return next(ctx, cmds) })
	}
}

func (g gate) pass(ctx context.Context, cmd redis.Cmder, send func(context.Context, redis.Cmder) error) error {
	a, w := g.actor, g.actor.world
	if cmd.Name() == "hello" {
		return send(ctx, cmd) // a new connection, for a subscription
	}
	if !a.reloads(cmd) {
		if a.exitIfDead(); ctx.Err() != nil {
			return send(ctx, cmd) // the client refuses by itself
		}
		w.park(a, cmd.Name())
		if a.partitioned || a.loseRequest {
			a.loseRequest = false
			w.record(a, w.command(cmd)+" -> lost")
			return a.noReply(cmd)
		}
		a.travel("request")
	}
	w.observe(nil)
	carried := cmd
	if a.loseReply { // a copy, so that the caller does not see the value
		carried = redis.NewCmd(ctx, cmd.Args()...)
	}
	err := send(context.WithoutCancel(ctx), carried) // a context ends no command that is on its way
	if a.mustLoad(cmd, err) {
		cmd.SetErr(err)
		return err // the client sends the script's text next, as part of the same step
	}
	w.executed(a, carried, err)
	if a.crashAfter {
		a.die()
		w.record(a, "crashes")
		a.exitIfDead()
	}
	if a.loseReply {
		a.loseReply = false
		w.record(a, ": the reply is lost")
		return a.noReply(cmd)
	}
	a.travel("reply")
	w.park(a, "after "+cmd.Name())
	return err
}

func (a *Actor) travel(what string) {
	if a.delay > 0 {
		time.Sleep(a.delay)
		a.world.park(a, what)
	}
}

// noReply lets the client wait in vain.
func (a *Actor) noReply(cmd redis.Cmder) error {
	time.Sleep(readTimeout)
	a.world.park(a, "timeout")
	cmd.SetErr(errNoReply)
	return errNoReply
}
