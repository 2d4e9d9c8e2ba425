package simulations

import (
	"fmt"
	"regexp"
	"strings"
)

// A schedule is a string of steps. "A" lets A take its next step: a command or a write;
// its first step also begins its program. "A2" is the second of the steps that A could
// take, if its watchdog has one too. A small letter behind it is a fault at that
// command. "t" lets time pass.
const (
	tick        = "t"
	faultCrash  = 'c' // the process dies before the command is sent
	faultKill   = 'k' // … after it was carried out
	faultLost   = 'q' // the request is lost
	faultReply  = 'r' // the reply is lost
	faultFrozen = 's' // carried out, and then the whole process stands still until its next step

	commandFaults = "ckqrs"
)

var scheduleStep = regexp.MustCompile(`[A-D][2-9]?[ckqrs]?|t`)

func splitSchedule(schedule string) []string { return scheduleStep.FindAllString(schedule, -1) }

func checkSchedule(schedule string) error {
	if strings.Join(splitSchedule(schedule), "") != schedule {
		return fmt.Errorf("%q is no schedule: it has steps like A, A2, Ac, B, t (simulations/README.md)", schedule)
	}
	return nil
}

// parts are those of a step that is no tick: whose it is, which of its steps, which fault.
func parts(step string) (actor, nth int, fault byte) {
	actor = int(step[0] - 'A')
	for _, c := range []byte(step[1:]) {
		if c < 'a' {
			nth = int(c - '1')
		} else {
			fault = c
		}
	}
	return actor, nth, fault
}
