package simulations

import (
	"fmt"
	"slices"
	"time"
)

// Invariant is a promise that a lock can break. Whose the lock is, is judged from Redis;
// who is inside, from what the lock told its caller.
type Invariant string

const (
	OwnerOnly   Invariant = "owner-only"
	Exclusion   Invariant = "exclusion"
	NoOrphan    Invariant = "no-orphan"
	BoundedWait Invariant = "bounded-wait"
	Told        Invariant = "told"
	Fenced      Invariant = "fenced"
)

// Invariants are all of them, in the order of the staircase.
func Invariants() []Invariant {
	return []Invariant{OwnerOnly, Exclusion, NoOrphan, BoundedWait, Told, Fenced}
}

// Meaning is the promise in one sentence.
func (i Invariant) Meaning() string {
	return map[Invariant]string{
		OwnerOnly:   "no command removes or changes a key that another actor set.",
		Exclusion:   "two are never inside at once, unless one was told that its lock is gone.",
		NoOrphan:    "a crash costs one TTL at most; a lost reply does not shut out the one who asked.",
		BoundedWait: "a wait ends within its budget, and a free lock reaches a waiter in less than half a second.",
		Told:        "a holder learns of the loss before another can hold.",
		Fenced:      "the resource accepts nothing from a holder older than one it has seen.",
	}[i]
}

// promptly is how soon a lock that is free must reach somebody who waits for it.
const promptly = 500 * time.Millisecond

// Violation is the first break of an invariant.
type Violation struct {
	Invariant Invariant
	Text      string        // "A deleted the lock that B holds"
	At        time.Duration // on the clock of the world
}

type judge struct {
	about      []Invariant // the first is the story's own; their break is marked
	violations []Violation
	freeSince  time.Duration // since when the lock is free although somebody waits; -1: it is not
	patience   time.Duration // for how long that may be
}

func (w *World) violate(what Invariant, mark, format string, args ...any) {
	for _, v := range w.violations {
		if v.Invariant == what {
			return
		}
	}
	if mark != "" && slices.Contains(w.about, what) {
		w.note(mark)
	}
	w.violations = append(w.violations, Violation{what, fmt.Sprintf(format, args...), w.clock()})
}

// MustOwn says whose the lock must be now, if the story ends well: one of these. It
// returns who that is, or the first of them.
func (w *World) MustOwn(actors ...*Actor) *Actor {
	w.observe(nil)
	if slices.Contains(actors, w.owner) {
		return w.owner
	}
	w.violate(w.about[0], "", "the lock should be %s's now; its owner is: %s", actors[0].Name, w.ownerName())
	return actors[0]
}

// judgeLoss: the lock is a's no more, and not because a gave it back.
func (w *World) judgeLoss(a *Actor) {
	a.lost = true
	if a.inside && !w.excuses(a) {
		w.violate(Told, "<- not told", "%s has lost the lock and goes on working: nothing told it", a.Name)
	}
}

// excuses tells whether nothing is asked of a: in an exploration, a process that
// stands still is one that no lock can reach.
func (w *World) excuses(a *Actor) bool { return w.explores && a.stopped }

// judgeEntry: a's lock said that it may go in.
func (w *World) judgeEntry(a *Actor) {
	w.record(a, "| working")
	for _, other := range w.actors {
		if other != a && other.inside && !w.excuses(other) {
			w.violate(Exclusion, "<- so is "+other.Name, "%s and %s are inside at once", other.Name, a.Name)
		}
	}
}

// judgeRefusal: a's lock said that another holds it.
func (w *World) judgeRefusal(a *Actor) {
	switch owner := w.owner; {
	case owner == a && !a.inside:
		w.violate(NoOrphan, "<- its own", "%s is kept out by its own key: the reply was lost, the key was not", a.Name)
	case owner != nil && owner.dead.Load() && w.clock() > owner.died+owner.ttl:
		w.violate(NoOrphan, "<- dead", "%s died, and its lock outlives its TTL", owner.Name)
	}
}

// judgeRelease: a's lock said that it gave the lock back.
func (w *World) judgeRelease(a *Actor) {
	if a.lost {
		w.violate(Told, "<- not told", "%s gave back a lock that it had lost, and was told that all is well", a.Name)
	}
}

// judgeWait: a's call of Lock has ended.
func (w *World) judgeWait(a *Actor, since, budget time.Duration) {
	if w.clock() > a.budgetEnd+w.real.slack() {
		w.violate(BoundedWait, "<- too late", "%s waited %s, its budget was %s", a.Name, seconds(w.clock()-since), seconds(budget))
	}
}

// judgeFreedom: whether the lock stays free although somebody sleeps and waits for it.
// While a process is about to send a command, it may be the one who was woken.
func (w *World) judgeFreedom() {
	sleeps, asks := false, false
	for _, a := range w.actors {
		about := a.stopped || a.hesitates()
		asks = asks || about
		sleeps = sleeps || a.waits && !about && !a.partitioned && a.delay == 0
	}
	if w.freeSince >= 0 && w.clock()-w.freeSince >= w.patience {
		w.record(nil, "") // a line for the moment: nothing else happens then
		w.violate(BoundedWait, "<- too late", "the lock was free for %s while somebody waited", seconds(w.clock()-w.freeSince))
	}
	switch {
	case w.owner != nil || !sleeps || asks:
		w.freeSince = -1
	case w.freeSince < 0:
		w.freeSince = w.clock()
	}
}

// judgeWrite: the resource accepts a write of a.
func (w *World) judgeWrite(a *Actor) {
	if a.epoch < w.newest {
		w.violate(Fenced, "<- too old", "the resource accepted %s's write after that of a newer holder", a.Name)
	}
}

// judgeEnd: what can be said only when the story is over.
func (w *World) judgeEnd() {
	w.observe(nil)
	for _, a := range w.actors {
		if a.waits && w.clock() > a.budgetEnd+w.real.slack() {
			w.violate(BoundedWait, "<- waits on", "%s still waits, its budget was over at %s", a.Name, seconds(a.budgetEnd))
		}
	}
}
