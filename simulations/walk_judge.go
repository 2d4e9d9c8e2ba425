package simulations

import (
	"slices"
	"time"
)

// What only an exploration can judge, because it knows what a process is about to do.

// judge looks at the world after a step.
func (x *walk) judge() {
	x.judgeFreedom()
	if x.owner == nil {
		return
	}
	switch a := x.owner; {
	case a.dead.Load():
		if x.leaseEnd() == 0 || x.leaseEnd() > a.died+a.ttl {
			x.violate(NoOrphan, "<- too long", "%s died, and its lock outlives its TTL", a.Name)
		}
	case a.inside || a.lostOne || x.ready(a): // it may still know, or learn, or give it back
	case a.call == "":
		x.violate(NoOrphan, "<- left behind", "%s has ended its program, and its lock is still there", a.Name)
	case a.waits && x.clock()-x.ownedSince > promptly:
		x.violate(NoOrphan, "<- its own", "%s is kept out by its own key", a.Name)
	}
}

// A story that does not end is broken, although it is no promise that it breaks.
const (
	longest       = 1000 // in steps
	longestAtOnce = 50   // in steps of one process without a pause
)

func (x *walk) judgeLength(before *Actor) {
	x.taken++
	x.atOnce++
	if x.last == nil || x.last != before {
		x.atOnce = 0
	}
	if x.taken > longest || x.atOnce > longestAtOnce {
		about := x.about[0]
		if slices.Contains(x.about, BoundedWait) {
			about = BoundedWait
		}
		x.violate(about, "<- and on", "a call does not end, or sends commands without end")
	}
}

// wakesAgain tells whether one of those who were over has a step to take after all.
func (x *walk) wakesAgain(over []*Actor) bool {
	return slices.ContainsFunc(over, func(a *Actor) bool { return len(x.choices(a)) > 0 })
}

// judgeRest looks at what is left when nobody has a step to take any more.
func (x *walk) judgeRest() {
	x.judgeEnd()
	if x.broken() != nil || !slices.Contains(x.about, NoOrphan) {
		return
	}
	x.Advance(exploreTTL + time.Second)
	if x.owner != nil {
		x.violate(NoOrphan, "<- for ever", "%s has ended its program, and its lock outlives its TTL", x.owner.Name)
	}
	for _, a := range x.actors {
		if left := x.choices(a); !a.dead.Load() && len(left) > 0 {
			x.record(a, "sends "+x.commandName(left[0].point, left[0].detail))
			x.violate(NoOrphan, "<- still", "%s has ended its program, and its lock goes on sending commands", a.Name)
		}
	}
}
