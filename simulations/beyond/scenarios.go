package beyond

import (
	"time"

	"redislocklab/simulations"
)

// ttl is the lease that every scenario asks for.
const ttl = 10 * time.Second

// Scenarios returns races that only these two locks can enter.
func Scenarios() []simulations.Scenario {
	return []simulations.Scenario{
		{Name: "fence-lost", About: simulations.Fenced, OwnServers: true, Story: fenceLost,
			What: "a failover loses the lock and the counter of its fencing tokens"},
		{Name: "node-down", About: simulations.Exclusion, Nodes: 3, OwnServers: true, Story: nodeDown,
			What: "a node crashes, and the lock goes on with the others"},
		{Name: "restart-empty", About: simulations.Exclusion, Nodes: 3, OwnServers: true, Story: restartEmpty,
			What: "a node has lost its keys, and is back before the lease ends"},
		{Name: "restart-late", About: simulations.Exclusion, Nodes: 3, OwnServers: true, Story: restartLate,
			What: "the same node, kept away for longer than the longest TTL"},
		{Name: "clock-jump", About: simulations.Exclusion, Nodes: 3, OwnServers: true, Story: clockJump,
			What: "the clock of a node jumps, and a lease ends too early there"},
	}
}

// The failover loses the counter with the lock, and the same token is given out again.
func fenceLost(w *simulations.World) {
	a, b := w.A, w.B
	w.Redis[0].Detach()
	a.TryLock(ttl)
	w.MustOwn(a)
	w.Redis[0].Failover()
	b.TryLock(ttl)
	b.Write()
	a.Write()
}

// One of three nodes crashes while A works, and is missing when B comes.
func nodeDown(w *simulations.World) {
	a, b := w.A, w.B
	a.TryLock(ttl)
	w.MustOwn(a)
	w.Redis[0].Crash()
	b.TryLock(ttl)
	w.Advance(ttl)
	w.MustOwn(a) // it is renewed on the others
	a.Unlock()
	b.TryLock(ttl)
	w.MustOwn(b)
}

// A has the lock on nodes 1 and 2. Node 2 forgets it, and B gets nodes 2 and 3.
func restartEmpty(w *simulations.World) {
	onTwoNodes(w)
	w.Redis[1].Crash()
	w.Redis[1].Restart()
	w.B.TryLock(ttl)
}

// The same, but node 2 stays away for a bit longer than a lease may last. By then A knows.
func restartLate(w *simulations.World) {
	onTwoNodes(w)
	w.Redis[1].Crash()
	w.Advance(ttl + time.Second)
	w.Redis[1].Restart()
	w.B.TryLock(ttl)
	w.MustOwn(w.B)
}

// A has the lock on nodes 1 and 2. The clock of node 2 jumps past the lease.
func clockJump(w *simulations.World) {
	onTwoNodes(w)
	w.Redis[1].JumpClock(ttl)
	w.B.TryLock(ttl)
}

// onTwoNodes lets A take the lock while node 3 is down for a moment.
func onTwoNodes(w *simulations.World) {
	w.Redis[2].Crash()
	w.A.TryLock(ttl)
	w.MustOwn(w.A)
	w.Redis[2].Restart()
	w.Advance(time.Second)
}
