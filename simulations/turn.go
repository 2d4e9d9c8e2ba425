package simulations

import (
	"runtime"
	"time"
)

// turn is the right of one goroutine of an actor to touch the world: from an open gate
// until it stands at the next one, or goes back into the code of the lock. The world
// itself goes on when nobody has it.
type turn struct {
	world *World
	actor *Actor
	node  string // that its command goes to
}

func (a *Actor) turn() *turn { return &turn{world: a.world, actor: a} }

// over gives the turn back.
func (t *turn) over() {
	w := t.world
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.acting == t {
		w.acting = nil
		w.touch()
	}
}

// park stops the calling goroutine at a gate until the world opens it.
func (t *turn) park(point string) {
	t.actor.exitIfDead()
	t.stand(&step{point: point})
	t.actor.exitIfDead()
}

// parkChoice is park before something that others can see: a command or a write.
func (t *turn) parkChoice(point, detail string) {
	t.actor.exitIfDead()
	t.stand(&step{point: point, detail: detail, choice: true})
	t.actor.exitIfDead()
}

// parkUnderway is park for a command that has left its process.
func (t *turn) parkUnderway() { t.stand(&step{underway: true}) }

// sleep is time on the network: neither a pause nor a crash ends it.
func (t *turn) sleep(d time.Duration) {
	t.over()
	time.Sleep(d)
	t.parkUnderway()
}

func (t *turn) stand(s *step) {
	w := t.world
	s.actor, s.turn, s.at, s.gate = t.actor, t, w.clock(), make(chan struct{})
	w.mu.Lock()
	if w.acting == t {
		w.acting = nil
	}
	w.parked = append(w.parked, s)
	w.touch()
	w.mu.Unlock()
	select {
	case w.bell <- struct{}{}:
	default: // it rings already
	}
	select {
	case <-s.gate:
	case <-w.done:
		runtime.Goexit()
	}
}

// where says to which of several nodes a command goes.
func (t *turn) where() string {
	if t.node == "" {
		return ""
	}
	return " @" + t.node
}
