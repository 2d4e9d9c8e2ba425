package workshop

import (
	"context"
	"encoding/json"
	"flag"
	"os"
	"runtime/debug"
	"slices"
	"testing"

	"github.com/redis/go-redis/v9"

	"redislocklab/simulations"
)

// The judge runs in a process of its own, which the reader's lock may end as it likes.
// The process that has started it says by flags what to judge.
var (
	judgeTo       = flag.String("judge.to", "", "where to write the findings; without it nothing is judged")
	judgeExercise = flag.String("judge.exercise", "", "the number of the exercise")
	judgeRace     = flag.String("judge.race", "", "only this race")
	judgeSchedule = flag.String("judge.schedule", "", "only this story")
)

// Finding is what came of one step.
type Finding struct {
	Step    string
	Verdict simulations.Verdict // "" while it runs

	Rules, Schedules, Commands int                     // how many it tried, or sent in a race
	Checked                    []simulations.Invariant // in every order

	// If it is Broken, or does not come to an end:
	Invariant simulations.Invariant // "" for a rule
	Rule      string                // of the contract, in one sentence
	Asked     string                // and where that is tested: "contract_common.go:120"
	Story     string                // a timeline, or what testify says
	Again     string                // what draws the story again: "RACE=gc-pause"
}

// Judge is the test of an exercise. lock makes one holder.
func Judge[L simulations.Locker](t *testing.T, lock func(redis.UniversalClient, string) L, errs simulations.Errors) {
	if *judgeTo == "" {
		t.Skip("make exercise3 judges the exercise of stage 3, and so on")
	}
	e, err := Find(*judgeExercise)
	if err != nil {
		t.Fatal(err)
	}
	j := &judge{t: t, exercise: e, errs: errs, subject: simulations.Subject{
		Name: e.Folder,
		New:  func(client redis.UniversalClient, name string) simulations.Locker { return lock(client, name) },
	}}
	redis.SetLogger(quiet{})
	debug.SetMaxStack(64 << 20) // a recursion without end shall end soon
	j.judge()
	os.Exit(1) // or the test runner adds words of its own
}

// quiet is a client's log: what a fault makes it say is not for the reader.
type quiet struct{}

func (quiet) Printf(context.Context, string, ...any) {}

type judge struct {
	t        *testing.T
	exercise Exercise
	subject  simulations.Subject
	errs     simulations.Errors
	findings []Finding
}

type step struct {
	name string
	run  func() Finding
}

func (j *judge) judge() {
	for _, s := range j.steps() {
		j.write(Finding{Step: s.name})
		found := s.run()
		found.Step = s.name
		j.write(found)
		if found.Verdict != simulations.Holds {
			return
		}
	}
	j.write(Finding{}) // all is said
}

// write replaces the last finding if that is about the same step.
func (j *judge) write(f Finding) {
	heart.beat()
	if last := len(j.findings) - 1; last >= 0 && j.findings[last].Step == f.Step {
		j.findings = j.findings[:last]
	}
	j.findings = append(j.findings, f)
	text, err := json.Marshal(j.findings)
	if err == nil {
		err = os.WriteFile(*judgeTo+".new", text, 0o600)
	}
	if err == nil { // whole, or not at all
		err = os.Rename(*judgeTo+".new", *judgeTo)
	}
	if err != nil {
		j.t.Fatal(err)
	}
}

func (j *judge) steps() (steps []step) {
	e := j.exercise
	switch {
	case *judgeRace != "":
		return []step{{*judgeRace, func() Finding { return j.race(*judgeRace) }}}
	case *judgeSchedule != "":
		return []step{{*judgeSchedule, func() Finding { return j.replay(*judgeSchedule) }}}
	}
	late := func(name string) bool { return slices.Contains(e.After, name) }
	early := func(name string) bool { return !late(name) && !slices.Contains(e.Spared, name) }
	steps = append(steps, step{"the contract", func() Finding { return j.contract("the contract", early) }})
	for _, name := range append(slices.Clone(e.Earlier), e.Race) {
		steps = append(steps, step{name, func() Finding { return j.race(name) }})
	}
	for _, bounds := range e.Orders {
		steps = append(steps, step{bounds.String(), func() Finding { return j.explore(bounds) }})
	}
	for _, name := range slices.DeleteFunc(slices.Clone(e.After), isRule) {
		steps = append(steps, step{name, func() Finding { return j.race(name) }})
	}
	if rest := "the rest of the contract"; slices.ContainsFunc(e.After, isRule) {
		steps = append(steps, step{rest, func() Finding { return j.contract(rest, late) }})
	}
	return steps
}

// isRule tells a rule of the contract from a race.
func isRule(name string) bool {
	_, err := simulations.FindScenario(name, simulations.Scenarios())
	return err != nil
}

// contract tests the rules until one breaks.
func (j *judge) contract(name string, asks func(rule string) bool) Finding {
	f := Finding{Step: name}
	for _, rule := range simulations.Rules(j.subject) {
		if !asks(rule.Name) {
			continue
		}
		f.Rule = rule.Promise
		j.write(f) // in case this is the last that is heard
		f.Rules++
		holds := j.t.Run(rule.Name, func(t *testing.T) {
			rule.Try(t, j.subject, j.errs, simulations.InBubble, func(complaint string) {
				f.Story, f.Asked = condense(complaint)
			})
		})
		if !holds {
			f.Verdict = simulations.Broken
			return f
		}
	}
	f.Verdict, f.Rule = simulations.Holds, ""
	return f
}

func (j *judge) race(name string) Finding {
	scenario, err := simulations.FindScenario(name, simulations.Scenarios())
	if err != nil {
		j.t.Fatal(err)
	}
	report := simulations.Play(j.t, scenario, j.subject, simulations.OwnerOnly) // a waiter must not help itself
	return story(report, "RACE="+name)
}

func (j *judge) explore(bounds simulations.Bounds) Finding {
	report := simulations.ExploreWhile(j.t, j.subject, bounds, func(simulations.Report) bool { heart.beat(); return true })
	f := story(report, "SCHEDULE="+report.Schedule)
	f.Schedules, f.Checked = report.Schedules, bounds.Check
	return f
}

func story(r simulations.Report, again string) Finding {
	return Finding{Verdict: r.Verdict, Invariant: r.Violation.Invariant, Story: r.String(), Again: again, Commands: r.Trace.Commands()}
}

// replay draws the story within the bounds in which it breaks.
func (j *judge) replay(schedule string) (f Finding) {
	for _, bounds := range j.exercise.Orders {
		report, err := simulations.TryReplay(j.t, j.subject, bounds, schedule)
		if err != nil {
			return Finding{Verdict: simulations.NotOffered, Story: err.Error() + "\n"}
		}
		if f = story(report, "SCHEDULE="+schedule); f.Verdict == simulations.Broken {
			break
		}
	}
	return f
}
