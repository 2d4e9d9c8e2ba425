package lab

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"sync/atomic"
	"time"

	"redislocklab/simulations"
)

// explore tries everything within bounds: args are the lock, and how many actors,
// expiries and faults; "" stands for the default.
func (l *Lab) explore(args []string, p paint) error {
	subject, bounds, err := exploration(args)
	if err != nil {
		return err
	}
	fmt.Fprintf(l.Out, "%s: %s.\n\n", subject.Name, bounds)
	report := simulations.ExploreWhile(l.T, subject, bounds, l.follow(time.Now()))
	if l.Progress != nil {
		fmt.Fprint(l.Progress, "\r\x1b[K")
	}
	fmt.Fprint(l.Out, render(fenced("text", l.found(report, subject, bounds)), p))
	switch report.Verdict {
	case simulations.Broken:
		return exit(1)
	case simulations.Stopped:
		return exit(130)
	}
	return nil
}

// found says what came of an exploration.
func (l *Lab) found(r simulations.Report, subject simulations.Subject, bounds simulations.Bounds) string {
	tried := fmt.Sprintf("%s schedules through %s states", thousands(r.Schedules), thousands(r.States))
	switch r.Verdict {
	case simulations.Broken:
		return fmt.Sprintf("%s\nBROKEN  %s, by %s\nAgain:  %s\n",
			r, r.Violation.Invariant, culprit(r.Trace), again(subject, bounds, r.Schedule))
	case simulations.Stopped:
		return fmt.Sprintf("stopped after %s; none broke so far.\n", tried)
	}
	text := fmt.Sprintf("holds   %s\n        %s; none breaks.\n", promised(subject), tried)
	if rest := notAsked(subject); rest != "" {
		text += "\nnot asked of this lock: " + rest + "\n"
	}
	if bounds.Faults == 0 {
		text += "\nnot tried: a crash, a lost request, a lost reply, a pause (FAULTS=1)\n"
	}
	return text + limits
}

const limits = `
Within these bounds, that is, and not beyond them. What a step, an expiry and
a fault are, and how long leases, waits and work take: simulations/README.md
`

// replay draws one story again: args are the lock, the schedule, and how many actors.
func (l *Lab) replay(args []string, p paint) error {
	if len(args) < 2 || args[1] == "" {
		return errors.New("say which: make replay STAGE=2 SCHEDULE=AAAtBA")
	}
	args = append(args, "") // how many may be missing
	subject, bounds, err := exploration([]string{args[0], args[2]})
	if err != nil {
		return err
	}
	if args[2] == "" {
		bounds.Actors = 0 // as many as the schedule names
	}
	report, err := simulations.TryReplay(l.T, subject, bounds, args[1])
	if err != nil {
		return err
	}
	verdict := string(report.Verdict)
	if report.Verdict == simulations.Stopped {
		verdict = "nothing has broken, and the story could go on"
	}
	fmt.Fprint(l.Out, render(fenced("text", fmt.Sprintf("%s on %s: %s\n\n%s", args[1], subject.Name, verdict, report)), p))
	return nil
}

// exploration reads a lock and bounds.
func exploration(args []string) (simulations.Subject, simulations.Bounds, error) {
	args = append(args, make([]string, max(0, 4-len(args)))...)
	if args[0] == "" {
		return simulations.Subject{}, simulations.Bounds{}, errors.New("say which lock: STAGE=2")
	}
	subject, err := simulations.FindSubject(args[0], subjects())
	actors, noActors := count("ACTORS", args[1], 2, 1, 4)
	expiries, noExpiries := count("EXPIRIES", args[2], 1, 0, 9)
	faults, noFaults := count("FAULTS", args[3], 0, 0, 9)
	if expiries == 0 {
		expiries = -1
	}
	return subject, simulations.Bounds{Actors: actors, Expiries: expiries, Faults: faults},
		errors.Join(err, noActors, noExpiries, noFaults)
}

func count(name, text string, otherwise, least, most int) (int, error) {
	n, err := strconv.Atoi(cmp.Or(text, fmt.Sprint(otherwise)))
	if err != nil || n < least || n > most {
		return 0, fmt.Errorf("%s=%s: it must be a number from %d to %d", name, text, least, most)
	}
	return n, nil
}

// follow shows how far an exploration is, on a terminal, and ends it at Ctrl-C. A second
// Ctrl-C kills, in case the lock never comes back.
func (l *Lab) follow(start time.Time) func(simulations.Report) bool {
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt)
	var stop atomic.Bool
	go func() {
		<-interrupted
		stop.Store(true)
		signal.Stop(interrupted)
	}()
	return func(soFar simulations.Report) bool {
		if l.Progress != nil && time.Since(start) > time.Second {
			rate := float64(soFar.States) / time.Since(start).Seconds()
			fmt.Fprintf(l.Progress, "\r%s schedules, %s states, %s states/s\x1b[K\r",
				thousands(soFar.Schedules), thousands(soFar.States), thousands(int(rate)))
		}
		return !stop.Load()
	}
}
