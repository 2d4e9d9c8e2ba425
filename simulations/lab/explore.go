package lab

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
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
	fmt.Fprintf(l.Out, "%s: %s.\n\n", subject.Name, within(bounds))
	report := simulations.ExploreWhile(l.T, subject, bounds, l.watch(time.Now()))
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
		return fmt.Sprintf("%s\nBROKEN  %s, by %s\nAgain:  make replay STAGE=%s SCHEDULE=%s%s\n",
			r, r.Violation.Invariant, culprit(r.Trace), number(subject.Name), r.Schedule, moreActors(bounds, r.Schedule))
	case simulations.Stopped:
		return fmt.Sprintf("stopped after %s; none broke so far.\n", tried)
	}
	return fmt.Sprintf("holds   %s\n        %s; none breaks.\n", promised(subject), tried) + limits
}

const limits = `
Within these bounds, that is, and not beyond them: a lease is 10s, a wait
ends after 15s, a watchdog renews once while its holder works. More about
that, and what an expiry and a fault are: simulations/README.md
`

// replay draws one story again: args are the lock, the schedule, and how many actors.
func (l *Lab) replay(args []string, p paint) error {
	if len(args) < 2 || args[1] == "" {
		return errors.New("say which: make replay STAGE=2 SCHEDULE=AAAtBA")
	}
	subject, bounds, err := exploration([]string{args[0], strings.Join(args[2:], "")})
	if err != nil {
		return err
	}
	if len(args) < 3 || args[2] == "" {
		bounds.Actors = 0 // as many as the schedule names
	}
	report, err := simulations.TryReplay(l.T, subject, bounds, args[1])
	if err != nil {
		return err
	}
	title := fmt.Sprintf("%s on %s", args[1], subject.Name)
	fmt.Fprint(l.Out, render(fenced("text", fmt.Sprintf("%s: %s\n\n%s", title, report.Verdict, report)), p))
	return nil
}

// exploration reads a lock and bounds.
func exploration(args []string) (simulations.Subject, simulations.Bounds, error) {
	args = append(args, make([]string, max(0, 4-len(args)))...)
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

// watch shows how far an exploration is, on a terminal, and ends it at Ctrl-C.
func (l *Lab) watch(start time.Time) func(simulations.Report) bool {
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt)
	return func(soFar simulations.Report) bool {
		if l.Progress != nil && time.Since(start) > time.Second {
			rate := float64(soFar.States) / time.Since(start).Seconds()
			fmt.Fprintf(l.Progress, "\r%s schedules, %s states, %s states/s\x1b[K\r",
				thousands(soFar.Schedules), thousands(soFar.States), thousands(int(rate)))
		}
		select {
		case <-interrupted:
			signal.Stop(interrupted) // a second one kills
			return false
		default:
			return true
		}
	}
}
