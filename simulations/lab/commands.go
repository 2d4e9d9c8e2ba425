package lab

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"redislocklab/simulations"
	"redislocklab/simulations/beyond"
)

const usage = `usage:
  lab lesson 3           the lesson of stage 3
  lab diff 3             the change from stage 2 to stage 3, all of it
  lab beyond             what no stage can do, and what can
  lab matrix             every race on every stage, measured now
  lab explore 3 3 2 1    every order of 3 actors with 2 expiries and 1 fault
  lab replay 2 AAAtBA    one story that explore has found
  lab exercise 3         judge stage3_lua/exercise, or draw a race on it
  lab hint 3 1           the first hint of three
  lab progress           judge every exercise
  lab compare 3          what is different in a right answer
  lab reset 3            put the starter back, and keep what was written
  lab watch 3            judge on every save
  lab exercises-check    fail if a starter passes, or a right answer does not
  lab growth             how many schedules there are, in some minutes
  lab docs               write the tables and timelines of the documents anew
  lab docs-check         fail if they are not what a run gives`

// exit is the status of a command that has said all there is to say.
type exit int

func (e exit) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// Run carries out one command.
func (l *Lab) Run(args []string, p paint) error {
	switch {
	case len(args) == 0 || args[0] == "help":
		_, err := fmt.Fprintln(l.Out, usage)
		return err
	case len(args) == 2 && args[0] == "lesson":
		return l.lesson(args[1], p)
	case len(args) == 1 && args[0] == "beyond":
		return l.document(filepath.Join("simulations", "beyond"), p)
	case len(args) == 2 && args[0] == "diff":
		return l.diff(args[1], p)
	case len(args) == 1 && args[0] == "matrix":
		return l.matrix(p)
	case len(args) >= 2 && len(args) <= 5 && args[0] == "explore":
		return l.explore(args[1:], p)
	case len(args) >= 3 && len(args) <= 4 && args[0] == "replay":
		return l.replay(args[1:], p)
	case len(args) >= 2 && len(args) <= 3 && args[0] == "exercise":
		return l.exercise(args[1:], p)
	case len(args) >= 2 && len(args) <= 3 && args[0] == "hint":
		return l.hint(args[1:], p)
	case len(args) == 2 && args[0] == "compare":
		return l.compare(args[1], p)
	case len(args) == 2 && args[0] == "reset":
		return l.reset(args[1])
	case len(args) == 2 && args[0] == "watch":
		ctx, stop := interruptible()
		defer stop()
		return l.watch(ctx, args[1], p)
	case len(args) == 1 && args[0] == "progress":
		return l.progress(p)
	case len(args) == 1 && args[0] == "exercises-check":
		return l.checkExercises()
	case len(args) == 1 && args[0] == "growth":
		return l.growth()
	case len(args) == 1 && args[0] == "docs":
		return l.docs(true)
	case len(args) == 1 && args[0] == "docs-check":
		return l.docs(false)
	}
	return errors.New(usage)
}

// lesson prints the README of a stage, with its races played now.
func (l *Lab) lesson(stage string, p paint) error {
	folder, err := l.stageFolder(stage)
	if err != nil {
		return err
	}
	if l.redis, err = simulations.RealFromEnvironment(); err != nil {
		return err
	}
	if l.redis != nil {
		fmt.Fprint(l.Out, fill("The races below are played on the server of REDIS_URL, in real time. Where nobody waits, "+
			"all is ten times as fast as the text says: a lease of 10s is one of 1s. A failover, and every order of steps, are simulated.")+"\n")
	}
	return l.document(folder, p)
}

// document prints the README of a folder, with its blocks written now.
func (l *Lab) document(folder string, p paint) error {
	_, text, err := l.regenerate(filepath.Join(l.Root, folder, "README.md"))
	if err != nil {
		return err
	}
	_, err = fmt.Fprint(l.Out, render(text, p))
	return err
}

// diff prints the change between the files of two neighbouring stages.
func (l *Lab) diff(stage string, p paint) error {
	folder, err := l.stageFolder(stage)
	if err != nil {
		return err
	}
	names := stageNames()
	if folder == names[0] {
		return errors.New("stage 1 is the first: compare it with simulations/articles/article2_setnx_expire.go")
	}
	before := names[slices.Index(names, folder)-1]
	files, err := filepath.Glob(filepath.Join(l.Root, folder, "*.*"))
	if err != nil {
		return err
	}
	for _, file := range files {
		name := filepath.Base(file)
		if strings.HasSuffix(name, "_test.go") || name == "README.md" || name == "input.go" {
			continue
		}
		text, err := l.diffFiles(filepath.Join(before, name), filepath.Join(folder, name))
		if err != nil {
			return err
		}
		fmt.Fprint(l.Out, render(fenced("diff", foldDiff(text)), p))
	}
	return nil
}

func stageNames() []string {
	var names []string
	for _, s := range simulations.Stages() {
		names = append(names, s.Name)
	}
	return names
}

// matrix prints the staircase for a terminal.
func (l *Lab) matrix(p paint) error {
	row := func(cells ...any) string {
		return strings.TrimRight(fmt.Sprintf("%-20s "+strings.Repeat("%-7s ", len(cells)-1), cells...), " ") + "\n"
	}
	head := []any{"race"}
	for _, subject := range beyond.Columns() {
		name := short(subject.Name)
		if name != subject.Name {
			name = "stage " + name
		}
		head = append(head, name)
	}
	fmt.Fprint(l.Out, row(head...))
	for _, scenario := range simulations.Scenarios() {
		cells := []any{scenario.Name}
		for _, subject := range beyond.Columns() {
			cells = append(cells, simulations.Play(l.T, scenario, subject).Verdict)
		}
		fmt.Fprint(l.Out, p.verdicts(row(cells...)))
	}
	bounds := simulations.Bounds{Actors: 2, Expiries: 1}
	verdicts, schedules, story := []any{"every order"}, []any{"  schedules"}, ""
	for _, subject := range beyond.Columns() {
		if subject.Nodes > 1 { // it sends several commands at once: too many orders
			continue
		}
		report := simulations.Explore(l.T, subject, bounds)
		verdicts = append(verdicts, report.Verdict)
		schedules = append(schedules, cmp.Or(report.Schedule, thousands(report.Schedules)))
		if report.Verdict == simulations.Broken {
			story = "Where a lock breaks, the simplest story: " + again(subject, bounds, report.Schedule) + "\n"
		}
	}
	fmt.Fprint(l.Out, p.verdicts(row(verdicts...)), row(schedules...))
	fmt.Fprintf(l.Out, "\nThe last rows: %s.\nA quorum sends three commands at once: it has too many orders to try them all.\n%s", bounds, story)
	fmt.Fprintln(l.Out, "\nOne of them as a picture: make race RACE=gc-pause STAGE=2")
	return nil
}

// docs writes the documents' blocks anew, or fails where that would change something.
func (l *Lab) docs(write bool) error {
	var drifted []string
	for _, path := range l.documents() {
		before, after, err := l.regenerate(path)
		if err != nil {
			return err
		}
		if before == after {
			continue
		}
		drifted = append(drifted, path)
		if write {
			if err := os.WriteFile(path, []byte(after), 0o644); err != nil {
				return err
			}
		}
	}
	if len(drifted) > 0 && !write {
		return fmt.Errorf("not what a run gives (make docs writes them anew):\n  %s", strings.Join(drifted, "\n  "))
	}
	return nil
}
