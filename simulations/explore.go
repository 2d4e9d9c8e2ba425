package simulations

import (
	"cmp"
	"container/heap"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
)

// Bounds says how much an exploration tries. Zero values: 2 actors, 1 expiry, no
// fault, and what the subject promises.
type Bounds struct {
	Actors   int         // 1 to 3
	Expiries int         // how many leases may end
	Faults   int         // how many of: crash, lost request, lost reply, process stands still
	Check    []Invariant // nil: Promises(subject)
}

func (b Bounds) withDefaults(t *testing.T, subject Subject) Bounds {
	if b.Actors < 0 || b.Actors > 3 || b.Expiries < 0 || b.Faults < 0 {
		t.Fatalf("bounds %+v: there are 1 to 3 actors, and no number is negative", b)
	}
	b.Actors = cmp.Or(b.Actors, 2)
	b.Expiries = cmp.Or(b.Expiries, 1)
	if b.Check == nil {
		b.Check = Promises(subject)
	}
	return b
}

// ticks bounds how often time may pass: a lock that waits or renews goes on for ever.
func (b Bounds) ticks() int { return 3*b.Expiries + 2 }

// cost orders stories: those with the fewest faults first, then the fewest switches.
type cost struct{ faults, switches int }

func (c cost) add(d cost) cost { return cost{c.faults + d.faults, c.switches + d.switches} }

func (c cost) compare(d cost) int {
	return cmp.Or(cmp.Compare(c.faults, d.faults), cmp.Compare(c.switches, d.switches))
}

// prefix is the beginning of a story that has not been told.
type prefix struct {
	steps  []string
	cost   cost
	from   stateKey // before the last step
	weight int      // of the last step
}

func (p prefix) last() string {
	if len(p.steps) == 0 {
		return ""
	}
	return p.steps[len(p.steps)-1]
}

// edge leads to a state, and stands for some processes that are alike.
type edge struct {
	to     stateKey
	weight int
}

// visit is a state in which there was something to choose.
type visit struct {
	key     stateKey
	options []string
	costs   []cost
	weights []int
	chosen  string
}

// story is a prefix, told to its end with as few switches as possible.
type story struct {
	visits []visit // after the prefix
	steps  []string
	broken *Violation
	trace  Trace
	known  stateKey // where it ended, if that was known before
}

// Explore tries every order of the actors' steps within the bounds, and reports the
// first story that breaks an invariant: the one with the fewest faults and switches.
// It fails t for no verdict. "Holds" means: within these bounds, while time passes
// 3*Expiries+2 times at most.
func Explore(t *testing.T, subject Subject, bounds Bounds) Report {
	t.Helper()
	e := &explorer{subject: subject, bounds: bounds.withDefaults(t, subject), merge: true, alike: true}
	return e.explore(t)
}

type explorer struct {
	subject Subject
	bounds  Bounds
	merge   bool // visit a state once
	alike   bool // of processes that have not moved, move only the first

	pending prefixes
	graph   map[stateKey]map[string]edge // which step leads where
	root    stateKey
	runs    int
}

func (e *explorer) explore(t *testing.T) Report {
	e.graph = map[stateKey]map[string]edge{}
	e.pending = prefixes{{}}
	var best *story
	var bestCost cost
	for len(e.pending) > 0 {
		batch := e.batch()
		if best != nil && batch[0].cost.compare(bestCost) > 0 {
			break
		}
		for i, s := range e.tell(t, batch) {
			e.runs++
			if found := e.integrate(batch[i], s); found && (best == nil || shorter(s, best)) {
				best, bestCost = s, batch[i].cost
			}
		}
	}
	report := Report{Verdict: Holds, Schedules: e.count(), States: len(e.graph), Runs: e.runs}
	if best != nil {
		report.Verdict, report.Violation = Broken, *best.broken
		report.Schedule, report.Trace = strings.Join(best.steps, ""), best.trace
	}
	return report
}

func shorter(s, best *story) bool {
	return cmp.Or(cmp.Compare(len(s.steps), len(best.steps)),
		strings.Compare(strings.Join(s.steps, ""), strings.Join(best.steps, ""))) < 0
}

// batch takes prefixes of one cost from the heap, to be told at the same time. How
// many does not depend on the machine: neither does what is found.
func (e *explorer) batch() []prefix {
	batch := []prefix{heap.Pop(&e.pending).(prefix)}
	for len(batch) < 64 && len(e.pending) > 0 && e.pending[0].cost == batch[0].cost {
		batch = append(batch, heap.Pop(&e.pending).(prefix))
	}
	return batch
}

// tell tells the stories of a batch, on all cores. Nothing is shared but what was
// known before the batch.
func (e *explorer) tell(t *testing.T, batch []prefix) []*story {
	stories := make([]*story, len(batch))
	work := make(chan int)
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(batch)) {
		workers.Go(func() {
			t.Run("worker", func(t *testing.T) {
				for i := range work {
					synctest.Test(t, func(t *testing.T) { stories[i] = e.run(t, batch[i]) })
				}
			})
		})
	}
	for i := range batch {
		work <- i
	}
	close(work)
	workers.Wait()
	return stories
}

// run tells one story.
func (e *explorer) run(t *testing.T, p prefix) *story {
	w := newWorld(t, e.subject, e.bounds.Check...)
	defer w.close()
	x := newWalk(w, e.bounds)
	x.alike = e.alike
	s := &story{}
	for {
		options := x.options()
		if w.broken() != nil || len(options) == 0 {
			break
		}
		next := options[0]
		if len(s.steps) < len(p.steps) {
			next = p.steps[len(s.steps)]
		} else {
			key := x.state()
			if _, known := e.graph[key]; known && e.merge {
				s.known = key
				return s
			}
			v := visit{key: key, options: options, chosen: next}
			for _, option := range options {
				v.costs = append(v.costs, x.cost(option))
				v.weights = append(v.weights, x.weight(option))
			}
			s.visits = append(s.visits, v)
		}
		x.step(next)
		s.steps = append(s.steps, next)
	}
	w.judgeEnd()
	s.broken, s.trace = w.broken(), w.trace
	return s
}

// integrate adds what a story saw to the graph, and what it left out to the pending.
// It tells whether the story broke something on a way that was not known.
func (e *explorer) integrate(p prefix, s *story) bool {
	from, by, weight := p.from, p.last(), p.weight
	for i, v := range s.visits {
		if from == (stateKey{}) {
			e.root = v.key
		}
		e.link(from, by, edge{v.key, weight})
		if _, known := e.graph[v.key]; known && e.merge {
			return false // its end was told before, or is pending
		}
		e.graph[v.key] = map[string]edge{}
		at := s.steps[:len(p.steps)+i]
		for k, option := range v.options {
			if option != v.chosen {
				heap.Push(&e.pending, prefix{append(slices.Clone(at), option), p.cost.add(v.costs[k]), v.key, v.weights[k]})
			}
		}
		from, by, weight = v.key, v.chosen, v.weights[slices.Index(v.options, v.chosen)]
	}
	e.link(from, by, edge{s.known, weight})
	return s.broken != nil
}

func (e *explorer) link(from stateKey, by string, to edge) {
	if e.graph[from] != nil {
		e.graph[from][by] = to
	}
}

// count is how many different schedules there are: the ways through the graph.
func (e *explorer) count() int {
	memo := map[stateKey]int{}
	var ways func(key stateKey) int
	ways = func(key stateKey) int {
		steps, known := e.graph[key]
		if !known {
			return 1 // the end of a story
		}
		if n, done := memo[key]; done {
			return n
		}
		n := 0
		for _, step := range steps {
			m := ways(step.to)
			if m > (math.MaxInt-n)/step.weight {
				return math.MaxInt
			}
			n += m * step.weight
		}
		memo[key] = n
		return n
	}
	return ways(e.root)
}

// prefixes is a heap: the cheapest first, then the shortest, then by the alphabet.
type prefixes []prefix

func (p prefixes) Len() int { return len(p) }
func (p prefixes) Less(i, j int) bool {
	return cmp.Or(p[i].cost.compare(p[j].cost), cmp.Compare(len(p[i].steps), len(p[j].steps)),
		slices.Compare(p[i].steps, p[j].steps)) < 0
}
func (p prefixes) Swap(i, j int) { p[i], p[j] = p[j], p[i] }
func (p *prefixes) Push(x any)   { *p = append(*p, x.(prefix)) }
func (p *prefixes) Pop() any {
	last := len(*p) - 1
	x := (*p)[last]
	*p = (*p)[:last]
	return x
}
