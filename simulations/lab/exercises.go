package lab

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"redislocklab/simulations"
	"redislocklab/simulations/workshop"
)

// hint prints one hint: args are the exercise, and which hint; "" is the first.
func (l *Lab) hint(args []string, p paint) error {
	args = append(args, "")
	e, err := workshop.Find(args[0])
	if err != nil {
		return err
	}
	hints, err := e.Hints(l.Root)
	if err != nil {
		return err
	}
	n, err := count("N", args[1], 1, 1, len(hints))
	if err != nil {
		return err
	}
	text := "## " + foldCode(hints[n-1]) + "\n"
	if n < len(hints) {
		text += fmt.Sprintf("\nMore: make hint%d N=%d\n", e.Number, n+1)
	}
	_, err = fmt.Fprint(l.Out, render(text, p))
	return err
}

// progress judges every exercise, and has a line for each.
func (l *Lab) progress(p paint) error {
	ctx, stop := interruptible()
	defer stop()
	next := ""
	for _, e := range workshop.Exercises() {
		judged, err := e.Run(ctx, l.Root, workshop.Ask{})
		if ctx.Err() != nil {
			return exit(130)
		} else if err != nil {
			return err
		}
		if e.Number == len(simulations.Stages())+1 {
			fmt.Fprint(l.Out, "\nTo find and mend, if you like:\n\n")
		}
		state := "done"
		if !judged.Done() {
			state = "open"
			next = cmp.Or(next, fmt.Sprintf("make exercise%d", e.Number))
		}
		line := fmt.Sprintf("  %s  %d  %-47s %s", state, e.Number, e.Title, obstacle(judged))
		fmt.Fprintln(l.Out, strings.TrimRight(line, " "))
	}
	_, err := fmt.Fprintf(l.Out, "\nNext: %s\n", cmp.Or(next, "make matrix"))
	return err
}

// obstacle is what is not right yet, in a word or two.
func obstacle(j workshop.Judged) string {
	switch last := j.Last(); {
	case j.Compiler != "":
		return "does not compile"
	case j.Crash != "":
		return "ends early"
	case j.Done():
		return ""
	case last.Schedules > 0:
		return "every order"
	default:
		return last.Step
	}
}

// compare prints the change from the reader's files to those of a right answer,
// without comments.
func (l *Lab) compare(number string, p paint) error {
	e, err := workshop.Find(number)
	if err != nil {
		return err
	}
	theirs, noTheirs := e.Theirs(l.Root)
	right, noRight := e.Right(l.Root)
	if err := errors.Join(noTheirs, noRight); err != nil {
		return err
	}
	text := ""
	for _, name := range slices.Sorted(maps.Keys(right)) {
		before, err := uncommented(name, theirs[name])
		if err != nil {
			return err
		}
		after, err := uncommented(name, right[name])
		if err != nil {
			return err
		}
		if change := around(diffLines(lines(before), lines(after)), 2); change != nil {
			text += fmt.Sprintf("--- yours: %s\n+++ %s\n", name, cmp.Or(e.Answer, "an answer")) + strings.Join(change, "")
		}
	}
	if text == "" {
		_, err := fmt.Fprintln(l.Out, "The same, but for comments.")
		return err
	}
	_, err = fmt.Fprint(l.Out, render(fenced("diff", foldDiff(text)), p))
	return err
}

// reset puts the starter of an exercise back.
func (l *Lab) reset(number string) error {
	e, err := workshop.Find(number)
	if err != nil {
		return err
	}
	kept, err := e.Reset(l.Root)
	for _, file := range kept {
		fmt.Fprintln(l.Out, "kept:", file)
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(l.Out, "%s/lock.go is the starter. make exercise%d\n", e.Folder, e.Number)
	return err
}

// watch judges an exercise now, and whenever one of its files changes, until ctx ends.
func (l *Lab) watch(ctx context.Context, number string, p paint) error {
	e, err := workshop.Find(number)
	if err != nil {
		return err
	}
	var seen workshop.Files
	trouble := ""
	for ; ctx.Err() == nil; pause(ctx) {
		now, err := e.Theirs(l.Root)
		if err != nil {
			if trouble != err.Error() { // once, or it would run off the screen
				trouble = err.Error()
				fmt.Fprintln(l.Out, trouble)
			}
			continue
		}
		if trouble = ""; maps.EqualFunc(now, seen, slices.Equal) {
			continue
		}
		seen = now
		judged, err := e.Run(ctx, l.Root, workshop.Ask{})
		if ctx.Err() != nil {
			break
		} else if err != nil {
			return err
		}
		if l.Progress != nil {
			fmt.Fprint(l.Progress, "\x1b[2J\x1b[H")
		}
		fmt.Fprint(l.Out, l.report(e, workshop.Ask{}, judged, p))
		fmt.Fprintf(l.Out, "\n%s  waiting for a change (Ctrl-C ends this)\n", time.Now().Format(time.TimeOnly))
	}
	return nil
}

// pause is how long watch waits before it looks again.
func pause(ctx context.Context) {
	select {
	case <-time.After(300 * time.Millisecond):
	case <-ctx.Done():
	}
}
