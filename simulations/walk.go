package simulations

import (
	"fmt"
	"slices"
)

// walk is a world that is led by a schedule, step by step.
type walk struct {
	*World
	bounds  Bounds
	alike   bool // offer only one of the processes that have not begun
	forgets bool // what a process has seen, when its program is over

	last   *Actor // who took the last step; nil if time has passed since
	faults int    // so far
	spent  int    // of the expiries
	taken  int    // steps
	atOnce int    // steps of last, without a pause
}

func newWalk(w *World, bounds Bounds) *walk {
	w.explores = true
	for _, a := range w.actors {
		a.program()
	}
	return &walk{World: w, bounds: bounds}
}

func (x *walk) options() (options []option) {
	for _, step := range x.possible() {
		options = append(options, option{step, x.weight(step)})
	}
	return options
}

// possible are the steps that can be taken now. The first costs no switch. Processes
// that have not begun are alike: only the first of them is offered.
func (x *walk) possible() (plain []string) {
	var faulty, asleep []string
	begins := false
	for _, a := range x.actors {
		if a.dead.Load() || begins && x.alike && fresh(a) {
			continue
		}
		begins = begins || fresh(a)
		names, faults := x.stepsOf(a)
		switch {
		case a.stopped && a.stoppedAt == x.clock(): // a pause that takes no time is none
			asleep = append(asleep, names...)
		case a == x.last:
			plain = slices.Concat(names, plain)
		default:
			plain = append(plain, names...)
		}
		faulty = append(faulty, faults...)
	}
	if x.timeMayPass() {
		plain = append(plain, tick)
	}
	if len(plain) == 0 {
		plain = asleep
	}
	return append(plain, faulty...)
}

// stepsOf are those that a can take, and the faults that can befall it there.
func (x *walk) stepsOf(a *Actor) (plain, faulty []string) {
	if a.stopped {
		return []string{a.Name}, nil
	}
	for i, s := range x.choices(a) {
		name := a.Name
		if i > 0 {
			name += fmt.Sprint(i + 1)
		}
		plain = append(plain, name)
		if x.faults < x.bounds.Faults && s.point != "write" {
			for _, f := range commandFaults {
				faulty = append(faulty, name+string(f))
			}
		}
	}
	return plain, faulty
}

// over tells whether the program of a has ended.
func (x *walk) over(a *Actor) bool {
	return a.call == "" && !a.dead.Load() && !a.stopped && len(x.choices(a)) == 0
}

// fresh tells whether a has not begun.
func fresh(a *Actor) bool { return a.passed == 0 && !a.dead.Load() }

// weight is for how many processes a step stands.
func (x *walk) weight(step string) (n int) {
	if step == tick || !x.alike {
		return 1
	}
	if actor, _, _ := parts(step); !fresh(x.actors[actor]) {
		return 1
	}
	for _, a := range x.actors {
		if fresh(a) {
			n++
		}
	}
	return n
}

func (x *walk) lastName() string {
	if x.last == nil {
		return ""
	}
	return x.last.Name
}

// step takes one of the options, and lets time pass while nobody has another.
func (x *walk) step(step string) {
	before := x.last
	if step == tick {
		x.last = nil
		x.passTime()
	} else {
		x.act(step)
	}
	x.judgeLength(before)
	for x.judge(); x.allWait(); x.judge() {
		x.last = nil
		x.pass(false)
		x.judgeLength(nil)
	}
}

func (x *walk) act(step string) {
	actor, nth, fault := parts(step)
	a := x.actors[actor]
	x.last = a
	if a.stopped {
		a.Resume()
		return
	}
	if fresh(a) {
		x.open(x.choices(a)[0])
		x.settle()
	}
	if len(x.choices(a)) <= nth {
		return // its lock sends nothing
	}
	x.strike(a, fault)
	if a.dead.Load() {
		return
	}
	x.open(x.choices(a)[nth])
	x.settle()
	a.somewhere = noFault
}

// strike prepares a fault at the next command of a.
func (x *walk) strike(a *Actor, fault byte) {
	x.nth = a.passed + 1
	if fault != 0 {
		x.faults++
	}
	switch fault {
	case faultCrash:
		if a.waits { // it may take a wake-up along, and then the lease bounds the others' wait
			x.patience = exploreTTL + promptly
		}
		a.Kill()
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
