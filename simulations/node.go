package simulations

import (
	"time"

	"github.com/redis/go-redis/v9"
)

// server is a Redis: how clients reach it, what it really holds, and what can befall it.
type server interface {
	connect() redis.UniversalClient
	look(key string) (value string, ends time.Time, exists bool) // zero time: it never ends
	dump() string                                                // everything in it, and for how long
	detach()
	failover()
	crash()
	restart()
	jumpClock(d time.Duration)
	close()
}

// Node is one Redis of a world. Most locks need one; a quorum has several, which know
// nothing of each other.
type Node struct {
	server
	world *World
	name  string // "" if it is the only one

	owner *Actor            // whose command made the key come into being
	value string            // what the key holds
	seen  map[string]*Actor // whose each value of the key was
	ends  time.Duration     // when its lease ends, on the clock of the world; 0: never
}

// Detach lets no more writes arrive at the node's replica.
func (n *Node) Detach() {
	n.world.record(nil, "the replica"+n.of()+" receives nothing more")
	n.detach()
}

// Failover ends the primary, and its replica takes over with what it has.
func (n *Node) Failover() {
	n.befalls(n.who()+" fails over to its replica", n.failover)
}

// Crash ends the server. Its clients are refused until Restart.
func (n *Node) Crash() { n.befalls(n.who()+" crashes", n.crash) }

// Restart starts the server again, without what it held: nothing was on its disk.
func (n *Node) Restart() { n.befalls(n.who()+" starts again, empty", n.restart) }

// JumpClock makes the clock of the server jump ahead by d.
func (n *Node) JumpClock(d time.Duration) {
	n.befalls("the clock of "+n.who()+" jumps by "+seconds(d), func() { n.jumpClock(n.world.scaled(d)) })
}

func (n *Node) who() string {
	if n.name == "" {
		return "Redis"
	}
	return "node " + n.name
}

func (n *Node) of() string {
	if n.name == "" {
		return ""
	}
	return " of node " + n.name
}

// befalls tells what happens to the node, and looks at what that leaves of the lock.
func (n *Node) befalls(what string, happen func()) {
	w := n.world
	w.observe(nil)
	happen()
	w.still() // the clients notice that their connection is gone
	value, ends, exists := n.look(w.key)
	switch {
	case !exists:
		n.owner = nil
	case value != n.value: // what it holds now is older than what we have seen
		n.owner = n.seen[value]
	}
	n.value = value
	n.ends = w.since(ends)
	before := w.owner
	w.recount(nil)
	w.record(nil, what)
	if before != nil && w.owner != before {
		w.judgeLoss(before)
	}
	w.observe(nil)
}
