package lab

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"redislocklab/simulations"
)

func promised(subject simulations.Subject) string { return list(simulations.Promises(subject)) }

// notAsked are the invariants that the lock does not promise.
func notAsked(subject simulations.Subject) string {
	promises := simulations.Promises(subject)
	return list(slices.DeleteFunc(simulations.Invariants(), func(i simulations.Invariant) bool { return slices.Contains(promises, i) }))
}

func list(invariants []simulations.Invariant) string {
	var names []string
	for _, i := range invariants {
		names = append(names, string(i))
	}
	return strings.Join(names, ", ")
}

// culprit is the command, or what else happened, that broke the promise.
func culprit(trace simulations.Trace) string {
	last := trace[len(trace)-1]
	what, _, _ := strings.Cut(last.Text, " -> ")
	switch what {
	case "":
		return "the end of the lease"
	case "| working":
		what = "entering"
	}
	return last.Actor + "'s " + what
}

// again is the command that draws a story again. It says how many actors there are
// where the schedule does not.
func again(subject simulations.Subject, b simulations.Bounds, schedule string) string {
	line := fmt.Sprintf("make replay STAGE=%s SCHEDULE=%s", number(subject.Name), schedule)
	if b.Actors != simulations.ActorsIn(schedule) {
		line += fmt.Sprintf(" ACTORS=%d", b.Actors)
	}
	return line
}

func thousands(n int) string {
	if n == math.MaxInt {
		return "more than 9,000,000,000,000,000,000"
	}
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
