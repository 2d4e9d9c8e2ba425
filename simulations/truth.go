package simulations

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// truth is what Redis really holds: whose the lock is, whatever a lock claims.
type truth struct {
	Redis []*Node // one; a quorum has several
	owner *Actor  // who owns the key on most of them

	ownedSince time.Duration // and its owner can see it

	epoch   int              // how often the lock came into being
	tokens  map[string]token // by what they are
	expired int              // how many leases have ended
	newest  int              // the newest epoch that wrote to the resource
	fence   int64            // the newest fencing token that the resource has seen
}

// token is a value of which we know whose it is: who sent it first.
type token struct {
	owner *Actor
	nth   int // of its owner's
}

// learn remembers the tokens that a sends.
func (w *World) learn(a *Actor, cmd redis.Cmder) {
	for i, arg := range cmd.Args() {
		value, ok := arg.(string)
		if !ok || i < 2 || len(value) < 16 || len(value) > 64 || strings.Contains(value, w.name) {
			continue // too short, a script, or a key
		}
		if _, known := w.tokens[value]; !known {
			a.minted++
			w.tokens[value] = token{a, a.minted}
		}
	}
}

// observe compares Redis with what was known. by is the actor whose command was just
// carried out; nil: nobody's, so what is gone has ended by its TTL.
func (w *World) observe(by *Actor) {
	for _, n := range w.Redis {
		w.observeNode(n, by)
	}
	w.judgeFreedom()
}

func (w *World) observeNode(n *Node, by *Actor) {
	value, until, exists := n.look(w.key)
	ends := w.since(until)
	before, owner := n.owner, w.owner
	touched := value != n.value || ends != n.ends
	switch {
	case exists && by == nil: // nothing ends by itself except by its TTL
	case exists && before == nil:
		n.owner = by
		w.recount(by)
	case exists && by != before && value != n.value:
		n.owner = by
		w.recount(by)
		w.violate(OwnerOnly, "<- was "+before.Name+"'s", "%s overwrote the lock that %s holds", by.Name, before.Name)
	case exists && by != before && touched:
		w.violate(OwnerOnly, "<- is "+before.Name+"'s", "%s changed the lease of the lock that %s holds", by.Name, before.Name)
	case !exists && before != nil && by == nil:
		n.owner = nil
		if w.recount(nil); w.owner != owner {
			w.expired++
			w.record(nil, "")
			w.note("lease ends")
		}
	case !exists && before != nil:
		n.owner = nil
		w.recount(by)
		if by != before {
			w.violate(OwnerOnly, "<- was "+before.Name+"'s", "%s deleted the lock that %s holds", by.Name, before.Name)
		}
	}
	n.value, n.ends = value, ends
	if n.owner != nil {
		n.seen[value] = n.owner
	}
	if owner != nil && w.owner != owner && by != owner {
		w.judgeLoss(owner)
	}
}

// recount finds out who owns the key on most nodes. by is whose command has changed that.
func (w *World) recount(by *Actor) {
	owned := map[*Actor]int{}
	for _, n := range w.Redis {
		owned[n.owner]++
	}
	before := w.owner
	w.owner = nil
	for _, a := range w.actors {
		if owned[a] > len(w.Redis)/2 {
			w.owner = a
		}
	}
	if w.owner != nil && w.owner != before {
		w.ownedSince = w.clock()
		w.epoch++
		w.owner.epoch = w.epoch
	}
	if by != nil {
		w.last().Owner = w.ownerName()
	}
}

// nextEnd is when the next lease ends on one of the nodes; 0 if none does.
func (w *World) nextEnd() (next time.Duration) {
	for _, n := range w.Redis {
		if n.ends > 0 && (next == 0 || n.ends < next) {
			next = n.ends
		}
	}
	return next
}

// leaseEnd is when the owner has it on most nodes no longer; 0: never.
func (w *World) leaseEnd() time.Duration {
	if w.owner == nil {
		return 0
	}
	var ends []time.Duration
	for _, n := range w.Redis {
		if n.owner == w.owner {
			ends = append(ends, cmp.Or(n.ends, never))
		}
	}
	slices.Sort(ends)
	if end := ends[len(ends)-len(w.Redis)/2-1]; end != never {
		return end
	}
	return 0
}

// since is a moment on the clock of the world; 0 for none.
func (w *World) since(moment time.Time) time.Duration {
	if moment.IsZero() {
		return 0
	}
	return moment.Sub(w.start)
}

// executed records a command that Redis carried out, and what it changed.
func (w *World) executed(t *turn, n *Node, cmd redis.Cmder, err error) {
	a := t.actor
	if s, ok := n.server.(*realServer); ok {
		s.refuses(strings.ToUpper(cmd.Name()), err)
	}
	w.commands++
	a.lostOne = false // it knows better now
	w.record(a, w.command(cmd)+t.where()+" -> "+w.reply(cmd, err))
	w.observe(a)
}

// write lands on the protected resource. It accepts whoever comes, unless the lock has
// fencing tokens: then it refuses one that is older than one it has seen.
func (w *World) write(a *Actor) {
	what := "write"
	if _, fences := a.lock.(fencer); fences {
		what = fmt.Sprintf("write with %d", a.fence)
		if a.fence < w.fence {
			w.record(a, what+" refused")
			return
		}
		w.fence = a.fence
	}
	w.record(a, what+" accepted")
	w.judgeWrite(a)
	w.newest = max(w.newest, a.epoch)
}

func (w *World) ownerName() string {
	if w.owner == nil {
		return "-"
	}
	return w.owner.Name
}
