package simulations

import "slices"

// What only an exploration can judge, because it knows what a process is about to do.

// judge looks at the world after a step.
func (x *walk) judge() {
	x.judgeFreedom()
	if x.owner == nil {
		return
	}
	switch a := x.owner; {
	case a.dead.Load():
		if x.ends == 0 || x.ends > a.died+a.ttl {
			x.violate(NoOrphan, "<- too long", "%s died, and its lock outlives its TTL", a.Name)
		}
	case a.inside || a.lostOne || x.ready(a): // it may still know, or learn, or give it back
	case a.call == "":
		x.violate(NoOrphan, "<- left behind", "%s has ended its program, and its lock is still there", a.Name)
	case a.waits && x.clock()-a.seenLast() > promptly:
		x.violate(NoOrphan, "<- its own", "%s is kept out by its own key", a.Name)
	}
}

// judgeRest looks at what is left when nobody has a step to take any more.
func (x *walk) judgeRest() {
	x.judgeEnd()
	if x.broken() != nil || !slices.Contains(x.about, NoOrphan) {
		return
	}
	x.Advance(exploreTTL)
	for _, a := range x.actors {
		if left := x.choices(a); !a.dead.Load() && len(left) > 0 {
			x.record(a, "sends "+x.commandName(left[0].point, left[0].detail))
			x.violate(NoOrphan, "<- still", "%s has ended its program, and its lock goes on sending commands", a.Name)
		}
	}
}
