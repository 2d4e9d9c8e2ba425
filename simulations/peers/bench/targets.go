package bench

import (
	"fmt"
	"math"
)

// target is what the lab wants its locks to reach, as a ratio within one run.
type target struct {
	what           string
	measured, most float64
}

func (r results) targets() []target {
	alone := map[string]alone{}
	for _, a := range r.alone {
		alone[a.name] = a
	}
	handoffs := map[string]handoff{}
	for _, h := range r.handoffs {
		handoffs[fmt.Sprint(h.name, h.waiters)] = h
	}
	targets := []target{
		{"stage 3, time over that of the floor", alone["stage3"].ratio.median, 1.10},
		{"stage 3, allocations", alone["stage3"].allocations, 25},
		{"stage 5, time over that of the floor", alone["stage5"].ratio.median, 1.30},
	}
	best50, best99, polls := handoffs["rueidislock32"].p50, handoffs["rueidislock32"].p99, handoffs["redsync32"].p99
	for _, polling := range []string{"redislock32", "redsync32"} {
		best50, best99 = min(best50, handoffs[polling].p50), min(best99, handoffs[polling].p99)
		polls = min(polls, handoffs[polling].p99)
	}
	for _, name := range []string{"stage4", "stage5"} {
		of32, of8, of128 := handoffs[name+"32"], handoffs[name+"8"], handoffs[name+"128"]
		targets = append(targets,
			target{name + ", commands to lock, 32 waiters", of32.commands(), 6},
			target{name + ", with those to connect", of32.commands() + of32.opening(), 6},
			target{name + ", commands at 128 waiters over those at 8", of128.commands() / of8.commands(), 1.2},
			target{name + ", p50 at 32 waiters over the best library's", float64(of32.p50) / float64(best50), 1},
			target{name + ", p99 at 32 waiters over the best library's", float64(of32.p99) / float64(best99), 1},
			target{name + ", p99 at 32 waiters over that of who polls", float64(of32.p99) / float64(polls), 0.1})
	}
	return targets
}

func (r results) targetTable() string {
	text := "What the lab wants to reach.\n\n"
	for _, t := range r.targets() {
		verdict := "reached"
		if math.Round(t.measured*100) > math.Round(t.most*100) { // as it is printed
			verdict = "missed"
		}
		text += fmt.Sprintf("%-48s %6.2f, at most %5.2f  %s\n", t.what, t.measured, t.most, verdict)
	}
	return text
}
