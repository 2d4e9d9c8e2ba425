// Package lab shows what the simulations measure: lessons in a terminal, tables in
// documents. It is run by its own test binary, because the controlled clock of
// testing/synctest exists only in a test; main_test.go is the way in.
package lab

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"redislocklab/simulations"
	"redislocklab/simulations/articles"
	"redislocklab/simulations/beyond"
)

// Lab plays races for one command.
type Lab struct {
	T    *testing.T
	Root string // the folder of go.mod
	Out  io.Writer

	Progress io.Writer // a terminal, or nil

	redis *simulations.Real // on which races are played; nil: they are simulated
}

// documents are all files with blocks that are written from a run.
func (l *Lab) documents() []string {
	files := []string{filepath.Join(l.Root, "README.md")}
	for _, pattern := range []string{"stage*", "simulations", "simulations/*"} {
		found, _ := filepath.Glob(filepath.Join(l.Root, filepath.FromSlash(pattern), "README.md"))
		files = append(files, found...)
	}
	return files
}

func subjects() []simulations.Subject {
	return slices.Concat(beyond.Columns(), articles.Subjects())
}

func (l *Lab) play(race, subject string) (simulations.Report, error) {
	scenario, err := simulations.FindScenario(race, beyond.Rows())
	if err != nil {
		return simulations.Report{}, err
	}
	s, err := simulations.FindSubject(subject, subjects())
	if err != nil {
		return simulations.Report{}, err
	}
	if l.redis != nil && l.redis.CanPlay(scenario, s) == nil {
		l.say("%s on %s …", race, s.Name)
		defer l.say("")
		return simulations.PlayReal(l.T, scenario, s, scenario.RealLease(), *l.redis)
	}
	return simulations.Play(l.T, scenario, s), nil
}

// say writes over the last line of a terminal.
func (l *Lab) say(format string, args ...any) {
	if l.Progress != nil {
		fmt.Fprintf(l.Progress, "\r\x1b[K"+format, args...)
	}
}

// stageFolder returns "stage3_lua" for "3".
func (l *Lab) stageFolder(stage string) (string, error) {
	s, err := simulations.FindSubject(stage, simulations.Stages())
	return s.Name, err
}

// fill writes one block: words are what stands in its first comment.
func (l *Lab) fill(words []string) (string, error) {
	if len(words) == 0 {
		return "", fmt.Errorf("an empty block")
	}
	switch what, args := words[0], words[1:]; {
	case what == "race" && len(args) == 2:
		return l.race(args[0], args[1])
	case what == "diff" && len(args) > 2:
		return l.diffBlock(args[0], args[1], args[2:])
	case what == "found" && len(args) == 1:
		subject, bounds, err := exploration(args)
		if err != nil {
			return "", err
		}
		return fenced("text", l.found(simulations.Explore(l.T, subject, bounds), subject, bounds)), nil
	case what == "proof" && len(args) == 4:
		return l.proof(args)
	case what == "broken" && len(args) == 1:
		return l.broken(args[0])
	case what == "staircase" && len(args) == 0:
		return l.table(simulations.Scenarios(), beyond.Columns()), nil
	case what == "beyond" && len(args) == 0:
		return l.table(beyond.Scenarios(), beyond.Subjects()) + "\n" + l.races(beyond.Scenarios()), nil
	case what == "verdicts" && len(args) == 0:
		return l.table(simulations.Scenarios(), articles.Subjects()), nil
	case what == "explored" && len(args) == 0:
		return l.explored(), nil
	case what == "races" && len(args) == 0:
		return l.races(simulations.Scenarios()), nil
	case what == "exercise" && len(args) == 1:
		return l.starter(args[0])
	case what == "promises" && len(args) == 0:
		return promises(), nil
	case what == "costs" && len(args) == 0:
		return l.costs(subjects()), nil
	}
	return "", fmt.Errorf("unknown block %q", strings.Join(words, " "))
}
