package simulations

import "time"

// Scenario is one race, told from top to bottom.
type Scenario struct {
	Name       string
	What       string    // what happens, in one line
	About      Invariant // the promise at stake
	Waits      bool      // only for locks with Lock(ctx, ttl)
	Nodes      int       // only for locks on so many Redis servers, or more
	OwnServers bool      // it ends or harms them, so they must be its own
	Story      func(w *World)
}

// ttl is the lease that every scenario asks for.
const ttl = 10 * time.Second

// Scenarios returns the races in the order of the staircase.
func Scenarios() []Scenario {
	return []Scenario{
		{Name: "crash-before-expire", About: NoOrphan, Story: crashBeforeExpire,
			What: "the process dies between two commands of TryLock, or after the last"},
		{Name: "misdelete", About: OwnerOnly, Story: misdelete,
			What: "the process stands still past its lease, and then unlocks"},
		{Name: "gc-pause", About: OwnerOnly, Story: gcPause,
			What: "the process stands still inside Unlock, past its lease"},
		{Name: "handoff", About: BoundedWait, Waits: true, Story: handoff,
			What: "two wait, and each release hands the lock to one"},
		{Name: "wait-budget", About: BoundedWait, Waits: true, Story: waitBudget,
			What: "the network is slow, and the wait has a budget"},
		{Name: "holder-crash", About: BoundedWait, Waits: true, Story: holderCrash,
			What: "the holder dies while another one waits"},
		{Name: "lost-reply", About: NoOrphan, Story: lostReplies,
			What: "TryLock is carried out, and the reply never arrives"},
		{Name: "overrun", About: Exclusion, Story: overrun,
			What: "the work takes longer than the lease"},
		{Name: "partition", About: Told, Story: partition,
			What: "the network is slow, and then the holder cannot reach Redis"},
		{Name: "stop-the-world", About: Fenced, Story: stopTheWorld,
			What: "the process stands still between its check and its write"},
		{Name: "failover", About: Exclusion, OwnServers: true, Story: failover,
			What: "Redis fails over to a replica that has not heard of the lock"},
	}
}

// A process dies somewhere in its TryLock.
func crashBeforeExpire(w *World) {
	a, b := w.A, w.B
	a.CrashSomewhere()
	a.TryLock(ttl)
	w.Advance(ttl + time.Second)
	b.TryLock(ttl) // A's lease must be over
	w.MustOwn(b)
}

// The holder stands still for longer than its lease, and its late release deletes
// another's lock.
func misdelete(w *World) {
	a, b := w.A, w.B
	a.TryLock(ttl)
	w.Advance(5 * time.Second)
	b.TryLock(ttl) // too early
	w.MustOwn(a)
	w.Advance(3 * time.Second)
	a.Stop()
	w.LetLeaseEnd()
	b.TryLock(ttl)
	w.Advance(time.Second)
	a.Resume()
	a.Unlock()
	w.MustOwn(b)
}

// The holder stands still somewhere in its Unlock: between its check and its DEL, if
// these are two.
func gcPause(w *World) {
	a, b := w.A, w.B
	a.TryLock(ttl)
	w.MustOwn(a)
	w.Advance(8 * time.Second)
	a.PauseSomewhere()
	a.Unlock()
	w.LetLeaseEnd()
	b.TryLock(ttl)
	w.Advance(time.Second)
	a.Resume()
	w.MustOwn(b)
	b.Unlock()
	a.TryLock(ttl) // a release must work at all
	w.MustOwn(a)
}

// Two wait. A release hands the lock to one of them, and the next to the other.
func handoff(w *World) {
	a, b, c := w.A, w.B, w.C
	a.TryLock(ttl)
	w.MustOwn(a)
	w.Advance(time.Second)
	b.Lock(ttl, time.Minute)
	w.Advance(time.Second)
	c.Lock(ttl, time.Minute)
	w.Advance(time.Second)
	a.Unlock()
	w.AwaitHandoff()
	first := w.MustOwn(b, c)
	second := map[*Actor]*Actor{b: c, c: b}[first]
	first.Unlock()
	w.AwaitHandoff()
	w.MustOwn(second)
}

// The network is slow, and the wait must end within its budget all the same.
// What is won too late must be given back.
func waitBudget(w *World) {
	a, b, c := w.A, w.B, w.C
	a.TryLock(ttl)
	w.MustOwn(a)
	b.SlowDown(400 * time.Millisecond)
	b.Lock(ttl, time.Second)
	w.Advance(900 * time.Millisecond)
	a.Unlock()
	w.Advance(5 * time.Second)
	c.TryLock(ttl)
	w.MustOwn(c)
}

// The holder dies, and the waiter gets the lock when the lease ends.
func holderCrash(w *World) {
	a, b := w.A, w.B
	a.TryLock(ttl)
	w.MustOwn(a)
	w.Advance(time.Second)
	b.Lock(ttl, time.Minute)
	w.Advance(time.Second)
	a.Kill()
	w.Advance(ttl)
	w.MustOwn(b)
}

// The lock is asked for, and a reply never arrives. The one who asked asks again.
func lostReplies(w *World) {
	a, b := w.A, w.B
	a.LoseReplySomewhere()
	a.TryLock(ttl)
	w.Advance(4 * time.Second) // no reply: the client gives up
	a.TryLock(ttl)
	w.MustOwn(a)
	a.Unlock()
	b.TryLock(ttl)
	w.MustOwn(b)
}

// The work takes longer than the lease, and somebody else comes.
func overrun(w *World) {
	a, b := w.A, w.B
	a.TryLock(ttl)
	w.MustOwn(a)
	w.Advance(ttl + time.Second)
	b.TryLock(ttl)
}

// The network is slow, and then the holder cannot reach Redis any more.
func partition(w *World) {
	a, b := w.A, w.B
	a.SlowDown(400 * time.Millisecond)
	a.TryLock(ttl)
	w.Advance(2 * time.Second)
	w.MustOwn(a)
	a.Partition()
	w.LetLeaseEnd()
	b.TryLock(ttl)
	a.Heal()
	w.MustOwn(b)
}

// The holder looks at its lock, stands still for longer than the lease, and writes.
func stopTheWorld(w *World) {
	a, b := w.A, w.B
	a.TryLock(ttl)
	w.MustOwn(a)
	w.Advance(time.Second)
	a.PauseBefore("write")
	a.Write()
	w.LetLeaseEnd()
	b.TryLock(ttl)
	b.Write()
	w.Advance(time.Second)
	a.Resume()
}

// The primary dies before it has copied the lock to its replica, which takes over.
func failover(w *World) {
	a, b := w.A, w.B
	w.Redis[0].Detach()
	a.TryLock(ttl)
	w.MustOwn(a)
	w.Redis[0].Failover()
	b.TryLock(ttl)
}
