package simulations

import (
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// World is one Redis, one clock and three processes that want the same lock. It
// lives in a synctest bubble, and lets one actor at a time take one step.
type World struct {
	A, B, C *Actor

	t       *testing.T
	nth     int  // at which command of a call "somewhere" is, from 1
	struck  bool // whether the call came that far
	server  server
	key     string
	start   time.Time
	actors  []*Actor
	scripts map[string]string // name of a script, by its SHA-1

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
	choice   bool   // a command or a write: what others can see
	underway bool // on the network: neither a pause nor a crash holds it
	open     chan struct{}
}

func newWorld(t *testing.T, subject Subject, about Invariant, nth int) *World {
	w := &World{
		t:       t,
		nth:     nth,
		server:  newEmbedded(),
		key:     subject.key(lockName),
		start:   time.Now(),
		scripts: map[string]string{},
		bell:    make(chan struct{}, 1),
		truth:   truth{tokens: map[string]*Actor{}},
		judge:   judge{about: about, freeSince: -1},
	}
	for _, name := range []string{"A", "B", "C"} {
		w.actors = append(w.actors, newActor(w, name, subject))
	}
	w.A, w.B, w.C = w.actors[0], w.actors[1], w.actors[2]
	return w
}

const lockName = "order"

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

// Owner is who really holds the lock, or nil.
func (w *World) Owner() *Actor { return w.owner }

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
	w.violate(w.about, "<- and on", "somebody sends commands without end and without a pause")
	w.end()
}

func (w *World) next() *step {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, a := range w.actors {
		for i, s := range w.parked {
			if s.actor == a && (s.underway || a.mayPass(s)) {
				w.parked = slices.Delete(w.parked, i, i+1)
				if s.choice {
					a.passed++
				}
				return s
			}
		}
	}
	return nil
}

// park stops the calling goroutine at a gate until the world opens it.
func (w *World) park(a *Actor, point string) {
	a.exitIfDead()
	w.stand(&step{actor: a, point: point, open: make(chan struct{})})
	a.exitIfDead()
}

// parkChoice is park before something that others can see: a command or a write.
func (w *World) parkChoice(a *Actor, point string) {
	a.exitIfDead()
	w.stand(&step{actor: a, point: point, choice: true, open: make(chan struct{})})
	a.exitIfDead()
}

func (w *World) stand(s *step) {
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
