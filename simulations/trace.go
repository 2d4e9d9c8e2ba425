package simulations

import (
	"strings"
	"time"
)

// Event is one thing that happened, and how the world looked after it.
type Event struct {
	At    time.Duration // since the start of the story
	Actor string        // whose lane it stands in; "": nobody's
	Text  string
	Owner string // the true owner, "-" if there is none
	Note  string // beside the owner
	Lanes []lane // of A, B, …
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

// Commands is how many were carried out, or lost on their way.
func (tr Trace) Commands() (n int) {
	for _, e := range tr {
		if strings.Contains(e.Text, " -> ") {
			n++
		}
	}
	return n
}

// record adds an event. A story is over where it breaks.
func (w *World) record(a *Actor, text string) {
	if w.broken() != nil {
		return
	}
	if a != nil {
		a.remember(w.clock(), text)
	}
	if w.quiet {
		return
	}
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
	case a.dead.Load():
	case a.stopped, a.hesitates():
		return stopped
	case a.inside:
		return working
	}
	return idle
}

// hesitates tells whether a command of a is about to be sent, and others go first.
func (a *Actor) hesitates() bool {
	steps := a.world.choices(a)
	return a.world.explores && a.passed > 0 && len(steps) > 0 && steps[0].point != "write"
}

// last is the event that was recorded last; or one that nobody sees, if there is none
// or the story is over.
func (w *World) last() *Event {
	if len(w.trace) == 0 || w.broken() != nil {
		return &Event{}
	}
	return &w.trace[len(w.trace)-1]
}

func (w *World) note(text string) { w.last().Note = text }
