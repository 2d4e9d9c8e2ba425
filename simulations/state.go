package simulations

import (
	"crypto/sha256"
	"fmt"
	"strings"
)

// stateKey stands for a state of a walk. Two walks with the same key have the same
// future: what a process does next depends on the replies and the times it has seen,
// and these are in its lane.
type stateKey [sha256.Size]byte

func (x *walk) state() stateKey {
	var s strings.Builder
	for _, a := range x.actors {
		fmt.Fprintf(&s, "%s %v %v %v %v %v %d %d\n", a.Name, a.stopped, a.dead.Load(), a.inside, a.lost, a.waits, a.epoch, a.passed)
		for _, e := range x.trace {
			if e.Actor == a.Name {
				fmt.Fprintf(&s, "%d %s\n", e.At, e.Text)
			}
		}
		for _, step := range x.standing() {
			if step.actor == a {
				s.WriteString(step.point + step.detail + "\n")
			}
		}
	}
	last := ""
	if x.last != nil {
		last = x.last.Name
	}
	fmt.Fprintf(&s, "%d %s %d %d %d %d %s\n", x.clock(), x.ownerName(), x.newest, x.expired, x.ticks, x.faults, last)
	fmt.Fprintf(&s, "%d\n", x.freeSince)
	s.WriteString(x.nameTokens(x.server.dump()))
	return sha256.Sum256([]byte(s.String()))
}

// nameTokens replaces every token by whose it is: its letters are of no account.
func (w *World) nameTokens(text string) string {
	for value, token := range w.tokens {
		text = strings.ReplaceAll(text, value, fmt.Sprintf("%s#%d", token.owner.Name, token.nth))
	}
	return text
}
