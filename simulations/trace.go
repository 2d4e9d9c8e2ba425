package simulations

import "time"

// Event is one thing that happened, and how the world looked after it.
type Event struct {
	At    time.Duration // since the start of the story
	Actor string        // whose lane it stands in; "": nobody's
	Text  string
	Owner string // the true owner, "-" if there is none
	Note  string // beside the owner
	Lanes []lane // of A, B and C
}

// lane is how an actor's lane is drawn where it has nothing to say.
type lane string

const (
	idle    lane = ""
	working lane = "|"
	stopped lane = ":"
)

// Trace is a story as it was played, in order.
type Trace []Event

func (w *World) record(a *Actor, text string) {
	e := Event{At: w.clock(), Text: text, Owner: w.ownerName()}
	if a != nil {
		e.Actor = a.Name
	}
	for _, other := range w.actors {
		e.Lanes = append(e.Lanes, other.lane())
	}
	w.trace = append(w.trace, e)
}

func (a *Actor) lane() lane {
	switch {
	case a.stopped && !a.dead.Load():
		return stopped
	case a.inside:
		return working
	}
	return idle
}

func (w *World) last() *Event { return &w.trace[len(w.trace)-1] }

func (w *World) note(text string) {
	if len(w.trace) > 0 {
		w.last().Note = text
	}
}
