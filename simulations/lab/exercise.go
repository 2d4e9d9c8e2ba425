package lab

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"unicode/utf8"

	"redislocklab/simulations"
	"redislocklab/simulations/workshop"
)

// exercise judges the reader's lock: args are the number, and a race or a schedule, which
// begins with a capital letter, if only that is to be drawn.
func (l *Lab) exercise(args []string, p paint) error {
	args = append(args, "")
	e, err := workshop.Find(args[0])
	if err != nil {
		return err
	}
	var ask workshop.Ask
	switch only := args[1]; {
	case only == "":
	case strings.ContainsAny(only[:1], "ABCD"):
		ask.Schedule = only
	default:
		ask.Race = only
		if _, err := simulations.FindScenario(only, simulations.Scenarios()); err != nil {
			return err
		}
	}
	ctx, stop := interruptible()
	defer stop()
	judged, err := e.Run(ctx, l.Root, ask)
	if ctx.Err() != nil {
		return exit(130)
	} else if err != nil {
		return err
	}
	fmt.Fprint(l.Out, l.report(e, ask, judged, p))
	if !judged.Done() && judged.Last().Verdict != simulations.Stopped {
		return exit(1)
	}
	return nil
}

// interruptible ends at Ctrl-C.
func interruptible() (context.Context, context.CancelFunc) {
	return signal.NotifyContext(context.Background(), os.Interrupt)
}

// report tells the reader what came of it, and what to type next.
func (l *Lab) report(e workshop.Exercise, ask workshop.Ask, j workshop.Judged, p paint) string {
	if j.Compiler != "" {
		return j.Compiler + "\n"
	}
	var text strings.Builder
	fmt.Fprintf(&text, "# Exercise %d: %s\n\n", e.Number, e.Title)
	text.WriteString(fenced("text", results(j)))
	if j.Printed != "" {
		text.WriteString("\nYour lock has printed:\n\n" + fenced("text", beginning(j.Printed, 10)))
	}
	switch {
	case j.Crash != "":
		sentence, runtimes, _ := strings.Cut(j.Crash, "\n")
		text.WriteString("\n" + sentence + "\n")
		if rule := j.Last().Rule; rule != "" {
			text.WriteString("\nThe rule that was asked: " + rule + "\n")
		}
		if runtimes != "" {
			text.WriteString("\n" + fenced("text", beginning(runtimes+"\n", 1)))
		}
	case !j.Done() || ask.Race+ask.Schedule != "":
		text.WriteString(evidence(j.Last()))
	}
	if j.Advice != "" {
		text.WriteString("\n" + j.Advice + "\n")
	}
	text.WriteString("\n" + l.whatNow(e, ask, j))
	return render(text.String(), p)
}

// results has a line for each step.
func results(j workshop.Judged) (text string) {
	for _, f := range j.Findings {
		verdict, size := string(f.Verdict), ""
		switch {
		case f.Verdict == "":
			verdict = "ended"
		case f.Rules > 0 && f.Verdict == simulations.Holds:
			size = ", " + plural(f.Rules, "rule")
		case f.Schedules > 0 && f.Verdict == simulations.Holds:
			size = fmt.Sprintf("\n        %s schedules, and none breaks\n        %s", thousands(f.Schedules), list(f.Checked))
		}
		text += fmt.Sprintf("%-7s %s%s\n", verdict, f.Step, size)
	}
	return text
}

// evidence is the story of a finding, or the rule that it breaks.
func evidence(f workshop.Finding) string {
	switch {
	case f.Rule != "":
		text := fmt.Sprintf("\nThe rule: %s\n\n%s", f.Rule, fenced("text", f.Story))
		if f.Asked != "" {
			text += fmt.Sprintf("\nIt is asked in simulations/%s.\n", f.Asked)
		}
		return text
	case f.Invariant != "":
		return "\n" + fenced("text", f.Story) + fmt.Sprintf("\n%s means: %s\n", f.Invariant, f.Invariant.Meaning())
	case f.Verdict == simulations.NotOffered:
		return "\n" + f.Story
	}
	return "\n" + fenced("text", f.Story)
}

// whatNow is what to make of it, and what to type.
func (l *Lab) whatNow(e workshop.Exercise, ask workshop.Ask, j workshop.Judged) string {
	n, last := e.Number, j.Last()
	switch {
	case ask.Race+ask.Schedule != "":
		return fmt.Sprintf("All of it: make exercise%d\n", n)
	case j.Done():
		return l.done(e, j)
	case j.Crash != "":
		return retry(e, last)
	case e.Untouched(l.Root, j.Files) && last.Step == e.Race:
		return fmt.Sprintf("This is the task, and no mistake in your set-up: the lock is still the one that "+
			"you begin with. The place to change is marked with TODO: %s/lock.go, line %d.\n\n", e.Folder, j.Files.Todo()) + retry(e, last)
	case last.Step == e.Race:
		return "That is the race of this exercise: it still breaks.\n\n" + retry(e, last)
	case slices.Contains(e.Earlier, last.Step):
		return "This race held before your change.\n\n" + retry(e, last)
	}
	return retry(e, last)
}

func retry(e workshop.Exercise, f workshop.Finding) string {
	return fmt.Sprintf("Again: %s. A hint: make hint%d\n", strings.TrimSpace(fmt.Sprintf("make exercise%d %s", e.Number, f.Again)), e.Number)
}

// done says what was shown, and what it costs.
func (l *Lab) done(e workshop.Exercise, j workshop.Judged) string {
	text := "Done. Within these bounds nothing breaks; beyond them nothing was tried.\n\n"
	for _, f := range j.Findings {
		if f.Step != e.Race || e.Answer == "" {
			continue
		}
		if own, err := l.play(e.Race, e.Answer); err == nil && f.Commands > own.Trace.Commands() {
			text += fmt.Sprintf("In %s it sends %d commands, and %s only %d.\n\n", e.Race, f.Commands, e.Answer, own.Trace.Commands())
		}
	}
	return text + fmt.Sprintf("Compare: make compare%d. Next: %s\n", e.Number, e.Next)
}

// beginning keeps the first lines, each as long as the screen is wide.
func beginning(text string, most int) (kept string) {
	for line := range strings.Lines(text) {
		if most--; most < 0 {
			return kept + "…\n"
		}
		line = strings.TrimRight(line, "\r\n")
		if utf8.RuneCountInString(line) > columns-4 {
			line = string([]rune(line)[:columns-5]) + "…"
		}
		kept += line + "\n"
	}
	return kept
}
