package simulations

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"time"
)

// stateKey stands for a state of a walk. Two walks with the same key have the same
// future: what a process does next depends on the replies it has seen, and on how long
// ago it asked and saw them. These are its memories. A process that is over, or dead,
// does nothing more, and one that has not begun has no memories.
type stateKey [sha256.Size]byte

func (x *walk) state() stateKey {
	var s strings.Builder
	for _, a := range x.actors {
		x.describe(&s, a)
	}
	free := max(x.freeSince, -1)
	if free >= 0 {
		free = x.clock() - free
	}
	fmt.Fprintln(&s, x.ownerName(), x.spent, x.faults, x.patience, free)
	s.WriteString(x.nameTokens(x.server.dump()))
	return sha256.Sum256([]byte(s.String()))
}

// describe writes what is known of a process that has anything left to do.
func (x *walk) describe(s *strings.Builder, a *Actor) {
	now := x.clock()
	switch {
	case a.dead.Load():
		if x.owner == a {
			fmt.Fprintln(s, "dead", a.died-now)
		} else {
			fmt.Fprintln(s, "dead")
		}
		return
	case fresh(a):
		fmt.Fprintln(s, "fresh")
		return
	case a.call == "" && len(x.choices(a)) == 0:
		fmt.Fprintln(s, "over", a.lostOne)
		return
	}
	left := time.Duration(0)
	if a.waits {
		left = a.budgetEnd - now
	}
	fmt.Fprintln(s, a.call != "", a.stopped, a.stopped && a.stoppedAt == now, a.inside, a.lost, a.lostOne, left, x.newest-a.epoch)
	for _, m := range a.memories {
		if m.what != "write accepted" { // where it is, its next step tells
			fmt.Fprintln(s, m.at-now, m.what)
		}
	}
	for _, step := range x.standing() {
		if step.actor == a {
			fmt.Fprintln(s, step.point, step.detail, step.at-now)
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
