package simulations

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
)

// Actor is one client process: a connection of its own, and one holder of the lock.
// Its methods start a call and return when nobody can go on without the clock.
type Actor struct {
	Name string

	world   *World
	clients []redis.UniversalClient // one for each node
	lock    Locker
	ctx     context.Context
	cancel  context.CancelFunc

	call      string        // the call that runs, if any
	ttl       time.Duration // asked for last
	inside    bool          // in the critical section, and not told to leave
	entered   time.Duration // when it went in last
	lost      bool          // the lock was taken from it, or its lease has ended
	epoch     int           // which acquisition of the lock it is in
	fence     int64         // the fencing token of it, if the lock has one
	waits     bool          // in Lock
	minted    int           // tokens that it has sent
	stopped   bool
	stoppedAt time.Duration
	dead      atomic.Bool
	died      time.Duration

	budgetEnd time.Duration // of the Lock that runs

	stopAt  string // stop before this point
	loading string // SHA-1 of a script that the server did not know
	faults

	memories []memory
}

// memory is something that a process has seen, and when.
type memory struct {
	at   time.Duration
	what string
}

func newActor(w *World, name string, subject Subject) *Actor {
	a := &Actor{Name: name, world: w}
	a.ctx, a.cancel = context.WithCancel(context.Background())
	for _, n := range w.Redis {
		client := n.connect()
		if err := client.Ping(a.ctx).Err(); err != nil { // the handshake is no part of a story
			w.t.Fatalf("Redis does not answer: %v", err)
		}
		client.AddHook(gate{a, n})
		a.clients = append(a.clients, client)
	}
	a.lock = subject.lock(a.clients, w.name)
	return a
}

// TryLock asks for the lock once. Who gets it is in the critical section from then on.
func (a *Actor) TryLock(ttl time.Duration) {
	ttl = a.world.scaled(ttl)
	a.start("TryLock", func(t *turn) { _ = a.tryLock(t, ttl) })
}

// Lock waits for the lock, for budget at most.
func (a *Actor) Lock(ttl, budget time.Duration) {
	ttl, budget = a.world.scaled(ttl), a.world.scaled(budget)
	a.start("Lock", func(t *turn) { _ = a.waitLock(t, ttl, budget) })
}

// Unlock leaves the critical section and gives the lock back.
func (a *Actor) Unlock() {
	a.start("Unlock", func(t *turn) { _ = a.unlock(t, a.ctx) })
}

// Write changes the protected resource, if the actor still believes to be inside.
func (a *Actor) Write() {
	a.start("Write", a.write)
}

func (a *Actor) tryLock(t *turn, ttl time.Duration) error {
	a.ttl = ttl
	t.over()
	taken, err := a.lock.TryLock(a.ctx, ttl)
	t.park("return")
	switch {
	case taken:
		a.enter()
	case err != nil:
		a.world.record(a, "TryLock: "+errorText(err))
	default:
		a.world.judgeRefusal(a)
	}
	return err
}

func (a *Actor) waitLock(t *turn, ttl, budget time.Duration) error {
	ctx, cancel := context.WithTimeout(a.ctx, budget)
	defer cancel()
	since := a.world.clock()
	a.ttl, a.waits, a.budgetEnd = ttl, true, since+budget
	t.over()
	err := a.lock.(waiter).Lock(ctx, ttl)
	t.park("return")
	a.waits = false
	if err == nil {
		a.enter()
	} else {
		a.world.record(a, "Lock: "+errorText(err))
	}
	a.world.judgeWait(a, since, budget)
	return err
}

func (a *Actor) unlock(t *turn, ctx context.Context) error {
	a.inside = false
	t.over()
	err := a.lock.Unlock(ctx)
	t.park("return")
	if err != nil {
		a.world.record(a, "Unlock: "+errorText(err))
	} else {
		a.world.judgeRelease(a)
	}
	return err
}

func (a *Actor) write(t *turn) {
	if a.inside {
		t.parkChoice("write", "")
		a.world.write(a)
	}
}

// PauseBefore stops the whole process just before a step: a command ("get", "del"), or
// "write", which is between the look at its lock and its Write. "del" also stands for a
// script, which may delete.
func (a *Actor) PauseBefore(step string) { a.stopAt = step }

// Stop makes the whole process stand still, with all its goroutines.
func (a *Actor) Stop() {
	a.stopped, a.stoppedAt = true, a.world.clock()
	a.world.record(a, ": stopped")
}

// Resume lets a stopped process go on.
func (a *Actor) Resume() {
	a.stopped = false
	a.budgetEnd = max(a.budgetEnd, a.world.clock()) // who stands still cannot be on time
	if a.world.owner == a {
		a.world.ownedSince = a.world.clock() // until now it could not see that
	}
	a.world.record(a, ": goes on")
	a.world.settle()
}

// Kill ends the process. What it had sent is carried out, and nothing else.
func (a *Actor) Kill() {
	a.die()
	a.world.record(a, "crashes")
	a.world.settle()
}

// start runs one call of the process, which makes one call at a time: while it is
// still in another, or dead, the story goes on without this one.
func (a *Actor) start(name string, call func(*turn)) {
	if a.dead.Load() {
		return
	}
	if a.calls() {
		a.world.record(a, "(still in "+a.call+")")
		return
	}
	t := a.turn()
	a.world.mu.Lock()
	a.call, a.passed, a.world.acting = name, 0, t
	a.world.mu.Unlock()
	go func() {
		defer func() {
			a.world.mu.Lock()
			a.call, a.somewhere = "", noFault
			a.world.mu.Unlock()
			t.over()
		}()
		call(t)
	}()
	a.world.settle()
}

// calls tells whether a call of the process runs.
func (a *Actor) calls() bool {
	a.world.mu.Lock()
	defer a.world.mu.Unlock()
	return a.call != ""
}

func (a *Actor) enter() {
	a.inside, a.lost, a.entered = true, false, a.world.clock()
	a.world.judgeEntry(a)
	if f, ok := a.lock.(fencer); ok {
		a.fence = f.FencingToken()
	}
	if t, ok := a.lock.(teller); ok {
		go a.listen(t.Context(), a.epoch)
	}
}

// listen waits for the lock to tell its holder that it is gone. A process that
// stands still cannot be told.
func (a *Actor) listen(lease context.Context, epoch int) {
	t := a.turn()
	defer t.over()
	select {
	case <-lease.Done():
	case <-a.ctx.Done():
		return
	}
	t.park("told")
	if a.inside && a.epoch == epoch {
		a.inside = false
		a.world.record(a, "told: lost")
	}
}

func (a *Actor) remember(at time.Duration, what string) {
	a.memories = append(a.memories, memory{at, what})
}

func (a *Actor) mayPass(s *step) bool {
	if a.dead.Load() {
		return true // to its end
	}
	atPause := s.point == a.stopAt || a.stopAt == "del" && strings.HasPrefix(s.point, "eval")
	if !a.stopped && (atPause || s.choice && a.befalls(pause, a.passed+1)) {
		a.stopAt, a.stopped = "", true
		a.world.record(a, ": stopped before "+a.world.commandName(s.point, s.detail))
	}
	return !a.stopped
}

func (a *Actor) die() {
	if !a.dead.Swap(true) {
		a.died = a.world.clock()
		a.inside, a.waits = false, false
		a.cancel()
	}
}

// exitIfDead ends the calling goroutine of a process that is no more.
func (a *Actor) exitIfDead() {
	if a.dead.Load() {
		runtime.Goexit()
	}
}

func errorText(err error) string {
	switch {
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return "gave up"
	case errors.Is(err, errNoReply):
		return "no reply"
	}
	text, _, _ := strings.Cut(err.Error(), "\n")
	return strings.TrimPrefix(text, "lock: ")
}
