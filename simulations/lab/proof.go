package lab

import (
	"fmt"

	"redislocklab/simulations"
)

// proof is what the explorer says of a stage in its lesson: the same on every machine.
func (l *Lab) proof(args []string) (string, error) {
	subject, bounds, err := exploration(args)
	if err != nil {
		return "", err
	}
	r := simulations.Explore(l.T, subject, bounds)
	text := fmt.Sprintf("%s:\n", bounds)
	if r.Verdict == simulations.Broken {
		text += fmt.Sprintf("BROKEN  %s, by %s\n\n%s\n", r.Violation.Invariant, culprit(r.Trace), again(subject, bounds, r.Schedule))
	} else {
		text += fmt.Sprintf("%s   %s\n        %s schedules through %s states, none breaks\n\nmake explore STAGE=%s ACTORS=%d EXPIRIES=%d FAULTS=1\n",
			r.Verdict, promised(subject), thousands(r.Schedules), thousands(r.States), number(subject.Name), bounds.Actors, max(bounds.Expiries, 0))
	}
	return fenced("text", text), nil
}

// explored is a Markdown table of what the explorer says of each stage.
func (l *Lab) explored() string {
	text := "| stage | promises | every order | schedules, or the one that breaks | states |\n|---|---|---|---|---|\n"
	for _, stage := range simulations.Stages() {
		r := simulations.Explore(l.T, stage, simulations.Bounds{})
		schedules, states := thousands(r.Schedules), thousands(r.States)
		if r.Verdict == simulations.Broken {
			schedules, states = "`"+r.Schedule+"`", ""
		}
		text += fmt.Sprintf("| %s | %s | %s | %s | %s |\n", number(stage.Name), promised(stage), r.Verdict, schedules, states)
	}
	return text
}
