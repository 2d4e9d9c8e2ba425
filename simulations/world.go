package simulations

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// World is one Redis or several, one clock, and some processes that want the same lock. It
// lets one actor at a time take one step. It lives in a synctest bubble, or in real time.
type World struct {
	A, B, C *Actor // in a scenario there are three

	t        *testing.T
	explores bool   // whoever may take a step waits to be chosen
	quiet    bool   // nobody reads the trace
	commands int    // carried out
	nth      int    // at which command of a call "somewhere" is, from 1
	struck   bool   // whether the call came that far
	name     string // of the lock
	key      string
	start    time.Time
	real     *realTime // nil in a bubble
	actors   []*Actor
	scripts  map[string]string // name of a script, by its SHA-1

	mu     sync.Mutex
	parked []*step       // in order of arrival
	acting *turn         // whose turn it is
	bell   chan struct{} // somebody arrived
	done   chan struct{} // closed when the world is

	truth
	judge
	trace Trace
}

// step is a goroutine of an actor that stands at a gate.
type step struct {
	actor    *Actor
	turn     *turn
	point    string // the command that is about to be sent, or another name
	detail   string // of the command
	at       time.Duration
	choice   bool // a command or a write: what others can see
	underway bool // a command on the network, or just carried out: nothing holds it
	gate     chan struct{}
}

func newWorld(t *testing.T, subject Subject, actors int, about ...Invariant) *World {
	var servers []server
	for range max(1, subject.Nodes) {
		servers = append(servers, newEmbedded())
	}
	return newWorldOn(t, servers, lockName, nil, subject, actors, about...)
}

func newWorldOn(t *testing.T, servers []server, name string, real *realTime, subject Subject, actors int, about ...Invariant) *World {
	w := &World{
		t:       t,
		nth:     1,
		name:    name,
		key:     subject.key(name),
		start:   time.Now(),
		real:    real,
		scripts: map[string]string{},
		bell:    make(chan struct{}, 1),
		done:    make(chan struct{}),
		truth:   truth{tokens: map[string]token{}},
		judge:   judge{about: about, freeSince: -1, patience: promptly},
	}
	for i, s := range servers {
		n := &Node{server: s, world: w, seen: map[string]*Actor{}}
		if len(servers) > 1 {
			n.name = fmt.Sprint(i + 1)
		}
		w.Redis = append(w.Redis, n)
	}
	for _, name := range actorNames[:actors] {
		w.actors = append(w.actors, newActor(w, name, subject))
	}
	return w
}

const lockName = "order"

var actorNames = []string{"A", "B", "C", "D"}

// Advance lets the clock run on by d. Whatever becomes due on the way happens in
// order; a lease that ends on the way is noticed at its own instant.
func (w *World) Advance(d time.Duration) { w.run(w.scaled(d)) }

// AwaitHandoff lets the clock run on for as long as a free lock may take to reach
// somebody who waits for it.
func (w *World) AwaitHandoff() { w.run(promptly) }

func (w *World) run(d time.Duration) {
	for end := w.real.end(w.clock(), d); ; {
		w.settle()
		w.observe(nil)
		sleep := end - w.clock()
		if sleep <= 0 {
			return
		}
		if next := w.nextEnd(); next > 0 {
			sleep = min(sleep, max(next-w.clock(), time.Millisecond)) // the Redis of real time may be late
		}
		timer := time.NewTimer(sleep)
		select {
		case <-w.bell:
		case <-timer.C:
		}
		timer.Stop()
	}
}

// LetLeaseEnd lets the clock run on until the lock is free, and a second more.
func (w *World) LetLeaseEnd() {
	w.observe(nil)
	for range 10 {
		if w.owner == nil {
			break
		}
		w.run(w.nextEnd() - w.clock())
	}
	w.Advance(time.Second)
}

// settle opens one gate after another until nobody who may go on is left. Who goes
// first is fixed (A before B before C), so that a story repeats to the byte.
func (w *World) settle() {
	for range 1000 {
		w.still()
		s := w.next()
		if s == nil {
			return
		}
		w.open(s)
	}
	w.still()
	w.violate(w.about[0], "<- and on", "somebody sends commands without end and without a pause")
	w.end()
}

// still waits until nobody can go on without the clock.
func (w *World) still() {
	if w.real == nil {
		synctest.Wait()
		return
	}
	w.real.still(w)
}

// next is the step whose gate opens next, if there is one.
func (w *World) next() *step {
	parked := w.standing()
	for _, s := range parked {
		if s.underway {
			return s
		}
	}
	for _, a := range w.actors {
		for _, s := range parked {
			if s.actor == a && w.isOpen(s) && a.mayPass(s) {
				return s
			}
		}
	}
	return nil
}

// standing are the steps at the gates, in order of arrival. Those who arrive at one
// instant do so in any order, and so it is their names that count.
func (w *World) standing() []*step {
	w.mu.Lock()
	defer w.mu.Unlock()
	slices.SortStableFunc(w.parked, func(s, other *step) int {
		return cmp.Or(cmp.Compare(s.at, other.at), cmp.Compare(s.point, other.point), cmp.Compare(s.detail, other.detail), cmp.Compare(s.turn.node, other.turn.node))
	})
	return slices.Clone(w.parked)
}

// open lets a step go through its gate.
func (w *World) open(s *step) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.parked = slices.DeleteFunc(w.parked, func(other *step) bool { return other == s })
	if s.choice {
		s.actor.passed++
	}
	w.acting = s.turn
	close(s.gate)
}

// isOpen tells whether the gate opens by itself.
func (w *World) isOpen(s *step) bool { return !w.explores || !s.choice || s.actor.dead.Load() }

// choices are the steps of a that wait to be chosen, in order of arrival; a write comes
// last, because who works lets its watchdog go first.
func (w *World) choices(a *Actor) (commands []*step) {
	var writes []*step
	for _, s := range w.standing() {
		switch {
		case s.actor != a || !s.choice:
		case s.point == "write":
			writes = append(writes, s)
		default:
			commands = append(commands, s)
		}
	}
	return append(commands, writes...)
}

func (w *World) clock() time.Duration { return time.Since(w.start) }

// end ends every process.
func (w *World) end() {
	for _, a := range w.actors {
		a.die()
	}
}

// close ends the world, and nothing of it is left. What still sleeps has an hour to
// notice; a goroutine that is left after that is a leak, and the bubble panics.
func (w *World) close() {
	w.end()
	if w.real == nil {
		w.Advance(time.Hour)
	} else {
		w.run(silence)
	}
	close(w.done)
	for _, a := range w.actors {
		for _, client := range a.clients {
			_ = client.Close()
		}
	}
	for _, n := range w.Redis {
		n.close()
	}
}
