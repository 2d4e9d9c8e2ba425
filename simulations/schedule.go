package simulations

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// A schedule is a string of steps. "A" lets A take its next step: a command or a write.
// A small letter behind it is a fault at that step. "t" lets time pass until something
// is due: a timer of some process, or the end of the lease.
const (
	tick        = "t"
	faultCrash  = "c" // the process dies before the command is sent
	faultKill   = "k" // … after it was carried out
	faultLost   = "q" // the request is lost
	faultReply  = "r" // the reply is lost
	faultFrozen = "s" // carried out, and then the whole process stands still until its next step
)

var scheduleStep = regexp.MustCompile(`[ABC][ckqrs]?|t`)

// parseSchedule splits a schedule into its steps.
func parseSchedule(schedule string) ([]string, error) {
	steps := scheduleStep.FindAllString(schedule, -1)
	if strings.Join(steps, "") != schedule {
		return nil, fmt.Errorf("%q is no schedule: it is made of A, B, C, each with c, k, q, r or s behind it or none, and t", schedule)
	}
	return steps, nil
}

// walk is a world that is led by a schedule, step by step.
type walk struct {
	*World
	bounds Bounds
	last   *Actor // who took the last step; nil after a tick
	faults int    // so far
	ticks  int
	alike  bool // offer only one of the processes that have not moved yet
}

const (
	exploreTTL    = 10 * time.Second
	exploreBudget = 35 * time.Second
)

func newWalk(w *World, bounds Bounds) *walk {
	w.explores = true
	w.actors = w.actors[:bounds.Actors]
	for _, a := range w.actors {
		a.program(exploreTTL, exploreBudget)
	}
	return &walk{World: w, bounds: bounds}
}

// options are the steps that can be taken now. The first costs no switch. Processes
// that have not moved yet are alike: only the first of them is offered.
func (x *walk) options() []string {
	var plain, faulty []string
	for i, a := range x.actors {
		s := x.choice(a)
		if a.dead.Load() || s == nil && !a.stopped || x.alike && slices.ContainsFunc(x.actors[:i], fresh) && fresh(a) {
			continue
		}
		plain = append(plain, a.Name)
		if a == x.last && !a.stopped {
			plain[0], plain[len(plain)-1] = plain[len(plain)-1], plain[0]
			slices.Sort(plain[1:])
		}
		if x.faults < x.bounds.Faults && !a.stopped && s.point != "write" {
			for _, f := range []string{faultCrash, faultKill, faultLost, faultReply, faultFrozen} {
				faulty = append(faulty, a.Name+f)
			}
		}
	}
	if x.timeMayPass() {
		plain = append(plain, tick)
	}
	return append(plain, faulty...)
}

// fresh tells whether a has done nothing yet.
func fresh(a *Actor) bool { return a.passed == 0 && !a.dead.Load() }

// weight is for how many processes a step stands.
func (x *walk) weight(step string) int {
	n := 0
	for _, a := range x.actors {
		if a.Name == step[:1] && !fresh(a) {
			return 1
		}
		if fresh(a) {
			n++
		}
	}
	if step == tick || !x.alike {
		return 1
	}
	return n
}

// timeMayPass: something is due, and the bounds allow it.
func (x *walk) timeMayPass() bool {
	if x.ticks >= x.bounds.ticks() {
		return false
	}
	if x.owner != nil {
		return x.ends > 0 && x.expired < x.bounds.Expiries
	}
	return slices.ContainsFunc(x.actors, func(a *Actor) bool {
		return a.call != "" && !a.stopped && !a.dead.Load() && x.choice(a) == nil
	})
}

// cost is what a step adds to the story: its faults, and its switches away from one
// who could have gone on.
func (x *walk) cost(step string) cost {
	var c cost
	if len(step) == 2 {
		c.faults = 1
	}
	if x.last != nil && !x.last.stopped && x.choice(x.last) != nil && step[:1] != x.last.Name {
		c.switches = 1
	}
	return c
}

// step takes one of the options.
func (x *walk) step(step string) {
	if step == tick {
		x.last = nil
		x.ticks++
		x.pass()
		return
	}
	a := x.actors[strings.Index("ABC", step[:1])]
	x.last = a
	if a.stopped {
		a.Resume()
		return
	}
	s := x.choice(a)
	x.nth = a.passed + 1
	if len(step) == 2 {
		x.faults++
		switch step[1:] {
		case faultCrash:
			a.Kill()
			return
		case faultKill:
			a.somewhere = crash
		case faultLost:
			a.loseRequest = true
		case faultReply:
			a.somewhere = lostReply
		case faultFrozen:
			a.somewhere = standStill
		}
	}
	close(x.World.take(s).open)
	x.settle()
	a.somewhere = noFault
}

// pass lets time pass until somebody arrives at a gate, or the lease ends.
func (x *walk) pass() {
	select {
	case <-x.bell:
	default:
	}
	sleep := time.Minute
	if x.owner != nil {
		sleep = x.ends - x.clock()
	}
	timer := time.NewTimer(sleep)
	select {
	case <-x.bell:
	case <-timer.C:
	}
	timer.Stop()
	x.settle()
	x.observe(nil)
}
