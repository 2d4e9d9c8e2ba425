package simulations

import (
	"cmp"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// World is one Redis, one clock and some processes that want the same lock. It lives
// in a synctest bubble, and lets one actor at a time take one step.
type World struct {
	A, B, C *Actor // in a scenario there are three

	t        *testing.T
	explores bool // whoever may take a step waits to be chosen
	quiet    bool // nobody reads the trace
	commands int  // carried out
	nth      int  // at which command of a call "somewhere" is, from 1
	struck   bool // whether the call came that far
	server   server
	key      string
	start    time.Time
	actors   []*Actor
	scripts  map[string]string // name of a script, by its SHA-1

	mu     sync.Mutex
	parked []*step       // in order of arrival
	bell   chan struct{} // somebody arrived

	truth
	judge
	trace Trace
}

// step is a goroutine of an actor that stands at a gate.
type step struct {
	actor    *Actor
	point    string // the command that is about to be sent, or another name
	detail   string // of the command
	at       time.Duration
	choice   bool // a command or a write: what others can see
	underway bool // a command on the network, or just carried out: nothing holds it
	open     chan struct{}
}

func newWorld(t *testing.T, subject Subject, actors int, about ...Invariant) *World {
	w := &World{
		t:       t,
		nth:     1,
		server:  newEmbedded(),
		key:     subject.key(lockName),
		start:   time.Now(),
		scripts: map[string]string{},
		bell:    make(chan struct{}, 1),
		truth:   truth{tokens: map[string]token{}},
		judge:   judge{about: about, freeSince: -1, patience: promptly},
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
func (w *World) Advance(d time.Duration) {
	for end := time.Now().Add(d); ; {
		w.settle()
		w.observe(nil)
		sleep := time.Until(end)
		if sleep <= 0 {
			return
		}
		if _, ttl, _ := w.server.look(w.key); ttl > 0 {
			sleep = min(sleep, ttl)
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
	for range 10 {
		if w.owner == nil {
			break
		}
		_, left, _ := w.server.look(w.key)
		w.Advance(left)
	}
	w.Advance(time.Second)
}

// settle opens one gate after another until nobody who may go on is left. Who goes
// first is fixed (A before B before C), so that a story repeats to the byte.
func (w *World) settle() {
	for range 1000 {
		synctest.Wait()
		s := w.next()
		if s == nil {
			return
		}
		close(s.open)
	}
	synctest.Wait()
	w.violate(w.about[0], "<- and on", "somebody sends commands without end and without a pause")
	w.end()
}

func (w *World) next() *step {
	parked := w.standing()
	for _, s := range parked {
		if s.underway {
			return w.take(s)
		}
	}
	for _, a := range w.actors {
		for _, s := range parked {
			if s.actor == a && w.isOpen(s) && a.mayPass(s) {
				return w.take(s)
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
		return cmp.Or(cmp.Compare(s.at, other.at), cmp.Compare(s.point, other.point), cmp.Compare(s.detail, other.detail))
	})
	return slices.Clone(w.parked)
}

// take removes a step from its gate, to open it.
func (w *World) take(s *step) *step {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.parked = slices.DeleteFunc(w.parked, func(other *step) bool { return other == s })
	if s.choice {
		s.actor.passed++
	}
	return s
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

// park stops the calling goroutine at a gate until the world opens it.
func (w *World) park(a *Actor, point string) {
	a.exitIfDead()
	w.stand(&step{actor: a, point: point, open: make(chan struct{})})
	a.exitIfDead()
}

// parkChoice is park before something that others can see: a command or a write.
func (w *World) parkChoice(a *Actor, point, detail string) {
	a.exitIfDead()
	w.stand(&step{actor: a, point: point, detail: detail, choice: true, open: make(chan struct{})})
	a.exitIfDead()
}

// parkUnderway is park for a command that has left its process.
func (w *World) parkUnderway(a *Actor) {
	w.stand(&step{actor: a, underway: true, open: make(chan struct{})})
}

func (w *World) stand(s *step) {
	s.at = w.clock()
	w.mu.Lock()
	w.parked = append(w.parked, s)
	w.mu.Unlock()
	select {
	case w.bell <- struct{}{}:
	default: // it rings already
	}
	<-s.open
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
	w.Advance(time.Hour)
	for _, a := range w.actors {
		_ = a.client.Close()
	}
	w.server.close()
}
