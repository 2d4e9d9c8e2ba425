package simulations

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// Bounds says how much an exploration tries. Zero values: 2 actors, 1 expiry, no
// fault, and what the subject promises.
type Bounds struct {
	Actors   int         // 1 to 4
	Expiries int         // how often a lease, or the budget of a wait, ends while somebody is slow; -1: never
	Faults   int         // how many of: crash, lost request, lost reply, process stands still
	Check    []Invariant // nil: Promises(subject)
}

// String says what is tried: "every order of 2 actors, up to 1 expiry, no fault".
func (b Bounds) String() string {
	b = b.counts()
	return fmt.Sprintf("every order of %s, %s, %s",
		upTo(b.Actors, "actor", "actors", ""), upTo(b.Expiries, "expiry", "expiries", "up to "), upTo(b.Faults, "fault", "faults", "up to "))
}

func upTo(n int, one, many, limit string) string {
	switch {
	case n <= 0:
		return "no " + one
	case n == 1:
		return limit + "1 " + one
	}
	return fmt.Sprintf("%s%d %s", limit, n, many)
}

// counts are the bounds with the defaults in the place of zero values.
func (b Bounds) counts() Bounds {
	b.Actors, b.Expiries = cmp.Or(b.Actors, 2), cmp.Or(b.Expiries, 1)
	return b
}

func (b Bounds) withDefaults(t *testing.T, subject Subject) Bounds {
	if b.Actors < 0 || b.Actors > len(actorNames) || b.Expiries < -1 || b.Faults < 0 {
		t.Fatalf("bounds %+v: there are 1 to %d actors, -1 expiries or more, and 0 faults or more", b, len(actorNames))
	}
	b = b.counts()
	if b.Check == nil {
		b.Check = Promises(subject)
	}
	return b
}

// Explore tries every order of the actors' steps within the bounds, and reports the
// first story that breaks an invariant: the one with the fewest faults, of these the
// one with the fewest switches, and of these the shortest. Then Schedules and States
// are only what was seen so far. "Holds" means: within these bounds. No verdict fails
// t, but bounds that make no sense do.
func Explore(t *testing.T, subject Subject, bounds Bounds) Report {
	t.Helper()
	return ExploreWhile(t, subject, bounds, nil)
}

// ExploreWhile is Explore that can be watched and stopped: some times a second it asks
// goOn, with what it has seen so far. If that says no, the verdict is Stopped.
func ExploreWhile(t *testing.T, subject Subject, bounds Bounds, goOn func(soFar Report) bool) Report {
	t.Helper()
	e := &explorer{subject: subject, bounds: bounds.withDefaults(t, subject), merge: true, alike: true}
	return e.explore(t, goOn)
}

type explorer struct {
	subject Subject
	bounds  Bounds
	merge   bool // visit a state once
	alike   bool // of processes that have not begun, let only the first begin

	remembers bool // also what a process has seen whose program is over

	graph
	runs     int
	commands int // sent in all runs
	jobs     chan *job
}

// job is a prefix to be told, and what came of it.
type job struct {
	prefix
	story story
	done  *sync.WaitGroup
}

func (e *explorer) explore(t *testing.T, goOn func(Report) bool) Report {
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // of this process: the embedded Redis leaves much behind
	e.graph = newGraph()
	e.jobs = make(chan *job)
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for !t.Run("worker", e.work) { // it failed, and the next takes over
			}
		})
	}
	defer workers.Wait()
	defer close(e.jobs)

	asked := time.Now()
	for batch := e.batch(); len(batch) > 0; batch = e.batch() {
		if e.tell(batch); e.woke && !e.remembers {
			e.remembers, e.graph = true, newGraph() // once more, with a longer memory
		}
		if goOn != nil && time.Since(asked) > askEvery {
			asked = time.Now()
			if soFar := e.report(Stopped); !goOn(soFar) {
				return soFar
			}
		}
	}
	if e.broken == nil {
		return e.report(Holds)
	}
	report := e.report(Broken)
	found := Replay(t, e.subject, e.bounds, e.broken.schedule)
	if found.Verdict != Broken {
		t.Fatalf("%s broke, and does not when it is played again: two states were taken for one", e.broken.schedule)
	}
	report.Violation, report.Schedule, report.Trace = found.Violation, found.Schedule, found.Trace
	return report
}

const askEvery = time.Second / 5

func (e *explorer) report(verdict Verdict) Report {
	return Report{Verdict: verdict, Schedules: e.count(), States: len(e.nodes), Runs: e.runs}
}

// tell tells the stories of a batch, on all cores. Nothing is shared but what was
// known before the batch.
func (e *explorer) tell(batch []prefix) {
	var done sync.WaitGroup
	done.Add(len(batch))
	var jobs []*job
	for _, p := range batch {
		j := &job{prefix: p, done: &done}
		jobs = append(jobs, j)
		e.jobs <- j
	}
	done.Wait()
	for _, j := range jobs {
		e.integrate(j.prefix, j.story)
		e.runs++
		e.commands += j.story.commands
	}
}

func (e *explorer) work(t *testing.T) {
	for j := range e.jobs {
		func() {
			defer j.done.Done()
			synctest.Test(t, func(t *testing.T) { j.story = e.run(t, j.schedule+j.step) })
		}()
	}
}

// run tells one story, from its beginning to its end, or to a state that is known.
func (e *explorer) run(t *testing.T, schedule string) (s story) {
	w := newWorld(t, e.subject, e.bounds.Actors, e.bounds.Check...)
	defer w.close()
	w.quiet = true
	x := newWalk(w, e.bounds)
	x.alike, x.forgets = e.alike, !e.remembers
	var over []*Actor
	defer func() { s.woke, s.commands = s.woke || x.wakesAgain(over), w.commands }()
	for _, step := range splitSchedule(schedule) {
		x.step(step)
	}
	for w.broken() == nil {
		s.woke = s.woke || x.wakesAgain(over)
		over = slices.DeleteFunc(slices.Clone(x.actors), func(a *Actor) bool { return !x.over(a) })
		v := visit{key: x.state(), last: x.lastName(), options: x.options()}
		if !e.merge {
			v.key = pathKey(schedule)
		}
		switch {
		case len(v.options) == 0:
			x.judgeRest()
			s.broken = w.broken() != nil
			return s
		case e.nodes[v.key] == nil:
			v.chosen = v.options[0].step
		}
		s.visits = append(s.visits, v)
		if v.chosen == "" {
			if len(over) > 0 {
				x.Advance(exploreTTL)
			}
			return s
		}
		x.step(v.chosen)
		schedule += v.chosen
	}
	s.broken = true
	return s
}
