package simulations

import (
	"cmp"
	"container/heap"
	"math"
	"strings"
)

// story is what was seen after a prefix.
type story struct {
	visits   []visit
	broken   bool
	woke     bool // somebody whose program was over
	commands int  // carried out, with those of the prefix
}

// visit is a state in which there is something to choose.
type visit struct {
	key     stateKey
	last    string // who took the step to it, if no time has passed since
	options []option
	chosen  string // "" if the state was known
}

// graph is what an exploration has seen: states, the steps from one to another, and
// the cheapest way to each.
type graph struct {
	nodes   map[stateKey]*node
	root    stateKey
	pending prefixes
	broken  *way // the first story that breaks
	woke    bool // somebody whose program was over
}

// node is a state.
type node struct {
	options []option
	edges   map[string]edge // by the step
	ways    map[string]way  // the cheapest way to it, by who took the last step
}

// option is a step that can be taken, and for how many processes it stands.
type option struct {
	step   string
	weight int
}

// edge is a step that has been taken.
type edge struct {
	to     stateKey // zero: the story ends there
	last   string
	broken bool
}

// way is a story up to some state.
type way struct {
	schedule string
	faults   int
	switches int
	steps    int
}

// prefix is a way, and a step that nobody has taken there.
type prefix struct {
	way
	from stateKey
	step string
	cost way // with the step
}

func newGraph() graph {
	return graph{nodes: map[stateKey]*node{}, pending: prefixes{{}}}
}

// then is the way that goes on with a step. able: those who can take one at its end.
func (w way) then(step, last string, able []option) way {
	w.schedule += step
	w.steps++
	if strings.ContainsAny(step, commandFaults) {
		w.faults++
	}
	if last != "" && !strings.HasPrefix(step, last) {
		for _, o := range able {
			if strings.HasPrefix(o.step, last) {
				w.switches++
				break
			}
		}
	}
	return w
}

// compare orders ways: the fewest faults first, then the fewest switches, then the
// shortest, then a fixed order.
func (w way) compare(other way) int {
	return cmp.Or(cmp.Compare(w.faults, other.faults), cmp.Compare(w.switches, other.switches),
		cmp.Compare(w.steps, other.steps), strings.Compare(w.schedule, other.schedule))
}

// batch takes prefixes that cost the same, to be told at the same time. How many does
// not depend on the machine: neither does what is found.
func (g *graph) batch() (batch []prefix) {
	type taken struct {
		from stateKey
		step string
	}
	seen := map[taken]bool{}
	for len(batch) < 64 && len(g.pending) > 0 {
		next := g.pending[0]
		if g.broken != nil && next.cost.compare(*g.broken) > 0 {
			return batch
		}
		if len(batch) > 0 && (next.cost.faults != batch[0].cost.faults || next.cost.switches != batch[0].cost.switches) {
			return batch
		}
		heap.Pop(&g.pending)
		if n := g.nodes[next.from]; n != nil {
			if _, done := n.edges[next.step]; done || seen[taken{next.from, next.step}] {
				continue
			}
		}
		seen[taken{next.from, next.step}] = true
		batch = append(batch, next)
	}
	return batch
}

// integrate adds what a story saw.
func (g *graph) integrate(p prefix, s story) {
	g.woke = g.woke || s.woke
	from, step := p.from, p.step
	for _, v := range s.visits {
		if g.nodes[v.key] == nil {
			g.nodes[v.key] = &node{options: v.options, edges: map[string]edge{}, ways: map[string]way{}}
		}
		if step == "" {
			g.root = v.key
			g.arrive(edge{to: v.key}, way{})
		} else {
			g.link(from, step, edge{to: v.key, last: v.last})
		}
		from, step = v.key, v.chosen
	}
	if step != "" {
		g.link(from, step, edge{broken: s.broken})
	}
}

// link adds a step that has been taken, and the ways that go on with it.
func (g *graph) link(from stateKey, step string, e edge) {
	n := g.nodes[from]
	if _, known := n.edges[step]; known {
		return
	}
	n.edges[step] = e
	for last, way := range n.ways {
		g.arrive(e, way.then(step, last, n.options))
	}
}

// arrive follows a way that has come to a state, if it is the cheapest there.
func (g *graph) arrive(e edge, w way) {
	n := g.nodes[e.to]
	if n == nil {
		if e.broken && (g.broken == nil || w.compare(*g.broken) < 0) {
			g.broken = &w
		}
		return
	}
	if known, ok := n.ways[e.last]; ok && known.compare(w) <= 0 {
		return
	}
	n.ways[e.last] = w
	for _, o := range n.options {
		next := w.then(o.step, e.last, n.options)
		if taken, ok := n.edges[o.step]; ok {
			g.arrive(taken, next)
		} else {
			heap.Push(&g.pending, prefix{way: w, from: e.to, step: o.step, cost: next})
		}
	}
}

// count is how many different schedules there are: the ways through the graph.
func (g *graph) count() int {
	memo := map[stateKey]int{}
	var ways func(key stateKey) int
	ways = func(key stateKey) int {
		node := g.nodes[key]
		if node == nil {
			return 1 // the end of a story
		}
		if n, done := memo[key]; done {
			return n
		}
		n := 0
		for _, o := range node.options {
			e, taken := node.edges[o.step]
			if !taken {
				continue
			}
			m := ways(e.to)
			if m > (math.MaxInt-n)/o.weight {
				return math.MaxInt
			}
			n += m * o.weight
		}
		memo[key] = n
		return n
	}
	return ways(g.root)
}

// prefixes is a heap: the cheapest first.
type prefixes []prefix

func (p prefixes) Len() int           { return len(p) }
func (p prefixes) Less(i, j int) bool { return p[i].cost.compare(p[j].cost) < 0 }
func (p prefixes) Swap(i, j int)      { p[i], p[j] = p[j], p[i] }
func (p *prefixes) Push(x any)        { *p = append(*p, x.(prefix)) }
func (p *prefixes) Pop() any {
	last := len(*p) - 1
	x := (*p)[last]
	*p = (*p)[:last]
	return x
}
