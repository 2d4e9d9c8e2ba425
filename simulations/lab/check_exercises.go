package lab

import (
	"bytes"
	"errors"
	"fmt"
	"go/format"
	"os"
	"path/filepath"

	"redislocklab/simulations"
	"redislocklab/simulations/workshop"
)

// checkExercises proves that every exercise can be judged: its starter keeps all that is
// asked before, loses the race that it is about, and a right answer passes. What a reader
// has written does not count.
func (l *Lab) checkExercises() error {
	ctx, stop := interruptible()
	defer stop()
	var all error
	for _, e := range workshop.Exercises() {
		starter, noStarter := e.Starter(l.Root)
		right, noRight := e.Right(l.Root)
		hints, noHints := e.Hints(l.Root)
		err := errors.Join(noStarter, noRight, noHints)
		if err == nil {
			begun, noRun := e.Run(ctx, l.Root, workshop.Ask{Files: starter})
			passed, noRun2 := e.Run(ctx, l.Root, workshop.Ask{Files: right})
			err = errors.Join(noRun, noRun2, failsAsItShould(e, begun), passes(passed),
				l.given(e, starter), formatted(starter), formatted(right), three(hints))
		}
		if err != nil {
			all = errors.Join(all, fmt.Errorf("exercise %d: %w", e.Number, err))
			continue
		}
		fmt.Fprintf(l.Out, "exercise %d: the starter comes as far as %s and loses it, a right answer passes\n", e.Number, e.Race)
	}
	return all
}

func failsAsItShould(e workshop.Exercise, j workshop.Judged) error {
	scenario, err := simulations.FindScenario(e.Race, simulations.Scenarios())
	switch last := j.Last(); {
	case err != nil:
		return err
	case j.Compiler != "":
		return fmt.Errorf("the starter does not compile:\n%s", j.Compiler)
	case last.Step != e.Race || last.Verdict != simulations.Broken || last.Invariant != scenario.About:
		return fmt.Errorf("the starter should lose %s, by %s:\n%s", e.Race, scenario.About, results(j))
	}
	return nil
}

func passes(j workshop.Judged) error {
	if !j.Done() {
		return fmt.Errorf("the right answer does not pass: %s%s%+v", j.Compiler, j.Crash, j.Last())
	}
	return nil
}

// given: what the reader leaves alone is the same as in the stage, letter for letter.
func (l *Lab) given(e workshop.Exercise, starter workshop.Files) error {
	for _, name := range e.Given {
		text, err := os.ReadFile(filepath.Join(l.Root, filepath.FromSlash(e.Folder), name))
		if err != nil {
			return err
		}
		if !bytes.Equal(text, starter[name]) {
			return fmt.Errorf("%s/%s is not that of %s", e.Folder, name, e.From)
		}
	}
	return nil
}

func formatted(files workshop.Files) error {
	if text, err := format.Source(files["lock.go"]); err != nil {
		return err
	} else if !bytes.Equal(text, files["lock.go"]) {
		return errors.New("lock.go is not as gofmt would have it")
	}
	return nil
}

func three(hints []string) error {
	if len(hints) != 3 {
		return fmt.Errorf("%d hints, and not 3", len(hints))
	}
	return nil
}
