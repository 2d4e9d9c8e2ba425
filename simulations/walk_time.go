package simulations

import (
	"math"
	"slices"
	"time"
)

// How time passes in an exploration. When nobody has a step to take, it passes by
// itself, until somebody has. A command that is about to be sent is sent before time
// passes; that it is not, is an expiry: everybody is slow until a lease ends, or the
// budget of a wait. Only two need not hurry: who stands still, and who works while its
// watchdog keeps the lease, for exploreWork at most.

// allWait tells whether nobody has a step to take, and somebody will have.
func (x *walk) allWait() bool {
	return x.broken() == nil && x.anyOf(x.asleep) && !x.anyOf(x.ready)
}

// timeMayPass tells whether that is a choice.
func (x *walk) timeMayPass() bool {
	expires := x.spent < x.bounds.Expiries
	switch {
	case x.owner == nil && x.anyOf(x.asleep):
		return true // the lock is free, and a waiter's step is due
	case x.owner == nil:
		return expires && x.anyOf(func(a *Actor) bool { return a.waits && !a.stopped })
	case x.owner.keepsItsLease() && !x.anyOf(x.slow):
		return true
	}
	return expires && x.leaseEnd() > 0
}

// passTime is the choice to let time pass.
func (x *walk) passTime() {
	slow, free := x.anyOf(x.slow), x.owner == nil
	unkept := !free && !x.owner.keepsItsLease()
	if ended := x.pass(slow && !free); ended && (slow || unkept) {
		x.spent++
	}
}

// pass lets time pass until a lease or the budget of a wait ends, which it returns, or
// until somebody has a new step to take, unless all are slow.
func (x *walk) pass(slow bool) (ended bool) {
	before, owner, budget := x.standingChoices(), x.owner, x.nextBudgetEnd()
	for {
		end := min(x.clock()+time.Minute, budget)
		if x.owner != nil && x.leaseEnd() > 0 {
			end = min(end, x.leaseEnd())
		}
		x.sleepUntil(min(end, x.nextLook()))
		x.settle()
		x.observe(nil)
		x.judge()
		if x.clock() >= end || x.owner != owner {
			return true
		}
		if !slow && x.standingChoices() > before {
			return false
		}
	}
}

// sleepUntil sleeps until then, or until somebody comes to a gate.
func (x *walk) sleepUntil(then time.Duration) {
	select {
	case <-x.bell:
	default:
	}
	timer := time.NewTimer(then - x.clock())
	defer timer.Stop()
	select {
	case <-x.bell:
	case <-timer.C:
	}
}

const never time.Duration = math.MaxInt64

// nextBudgetEnd is when the next wait should be over, and a little more: who is too
// late is seen then.
func (x *walk) nextBudgetEnd() time.Duration {
	next := never
	for _, a := range x.actors {
		if a.waits && a.budgetEnd >= x.clock() {
			next = min(next, a.budgetEnd+time.Millisecond)
		}
	}
	return next
}

// nextLook is when somebody who waits for its own key has waited for too long.
func (x *walk) nextLook() time.Duration {
	if x.owner == nil || !x.owner.waits {
		return never
	}
	if look := x.ownedSince + promptly + time.Millisecond; look > x.clock() {
		return look
	}
	return never
}

func (x *walk) standingChoices() (n int) {
	for _, s := range x.standing() {
		if s.choice {
			n++
		}
	}
	return n
}

func (x *walk) anyOf(is func(*Actor) bool) bool { return slices.ContainsFunc(x.actors, is) }

// ready tells whether a has a step to take.
func (x *walk) ready(a *Actor) bool {
	return !a.dead.Load() && (a.stopped || len(x.choices(a)) > 0)
}

// asleep tells whether a goes on only when time passes, or somebody wakes it.
func (x *walk) asleep(a *Actor) bool {
	return a.call != "" && !a.dead.Load() && !x.ready(a)
}

// slow tells whether a keeps others waiting with a step that it could take.
func (x *walk) slow(a *Actor) bool {
	if a.stopped || !x.ready(a) {
		return false
	}
	return x.choices(a)[0].point != "write" || !a.renews() || x.clock()-a.entered >= exploreWork || x.alone(a)
}

func (a *Actor) keepsItsLease() bool { return a.renews() && a.inside && !a.stopped && !a.dead.Load() }

// renews tells whether the lock of a has a watchdog.
func (a *Actor) renews() bool {
	_, tells := a.lock.(teller)
	return tells
}

func (x *walk) alone(a *Actor) bool {
	return !x.anyOf(func(other *Actor) bool { return other != a && !other.dead.Load() && other.call != "" })
}
