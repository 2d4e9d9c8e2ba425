package simulations

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"time"
)

// stateKey stands for a state of a walk. Two walks with the same key have the same
// future: what a process does next depends on the replies it has seen, and on how long
// ago it asked and saw them. These are its memories. Who is dead needs none, and who has
// not begun has none, and neither does who is over, unless it left something behind that
// wakes up later: explore finds out. (A message that woke somebody is no memory: a lock
// must leave a trace of it in Redis, as a queue of waiters does.)
type stateKey [sha256.Size]byte

func (x *walk) state() stateKey {
	var s strings.Builder
	for _, a := range x.actors {
		x.describe(&s, a)
	}
	ago := func(at time.Duration) time.Duration {
		if at < 0 {
			return -1
		}
		return x.clock() - at
	}
	owned := time.Duration(-1)
	if x.owner != nil && x.owner.waits {
		owned = x.ownedSince
	}
	fmt.Fprintln(&s, "owner", x.ownerName(), ago(owned), "free", ago(x.freeSince), x.patience,
		"spent", x.spent, x.faults, "written", x.newest > 0)
	for _, n := range x.Redis {
		fmt.Fprintln(&s, "node", n.name)
		s.WriteString(n.dump())
	}
	return sha256.Sum256([]byte(x.nameTokens(s.String())))
}

// describe writes what is known of a process.
func (x *walk) describe(s *strings.Builder, a *Actor) {
	now := x.clock()
	switch {
	case a.dead.Load() && x.owner == a:
		fmt.Fprintln(s, "dead", a.died-now)
		return
	case a.dead.Load():
		fmt.Fprintln(s, "dead")
		return
	case fresh(a):
		fmt.Fprintln(s, "fresh")
		return
	case x.forgets && x.over(a):
		fmt.Fprintln(s, "over", a.lostOne)
		return
	case a.waits:
		fmt.Fprintln(s, "waits", a.budgetEnd-now)
	}
	fmt.Fprintln(s, "calls", a.call != "", "stopped", a.stopped, a.stopped && a.stoppedAt == now,
		"inside", a.inside, "lost", a.lost, a.lostOne, "behind", x.newest-a.epoch)
	for _, m := range a.memories {
		if !strings.HasPrefix(m.what, "write ") { // where it is, its next step tells
			fmt.Fprintln(s, m.at-now, m.what)
		}
	}
	for _, step := range x.standing() {
		if step.actor == a {
			fmt.Fprintln(s, step.point, step.detail, step.turn.node, step.at-now)
		}
	}
}

// nameTokens replaces every token by whose it is: its letters are of no account.
func (w *World) nameTokens(text string) string {
	for value, token := range w.tokens {
		text = strings.ReplaceAll(text, value, fmt.Sprintf("%s#%d", token.owner.Name, token.nth))
	}
	return text
}

// pathKey keeps every story apart.
func pathKey(schedule string) stateKey { return sha256.Sum256([]byte("path " + schedule)) }
