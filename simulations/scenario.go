package simulations

import "time"

// Scenario is one race, told from top to bottom.
type Scenario struct {
	Name  string
	About Invariant // the promise at stake
	Waits bool      // only for locks with Lock(ctx, ttl)
	Story func(w *World)
}

// ttl is the lease that every scenario asks for.
const ttl = 10 * time.Second

// Scenarios returns the races in the order of the staircase.
func Scenarios() []Scenario {
	return []Scenario{
		{"crash-before-expire", NoOrphan, false, crashBeforeExpire},
		{"misdelete", OwnerOnly, false, misdelete},
		{"gc-pause", OwnerOnly, false, gcPause},
		{"handoff", BoundedWait, true, handoff},
		{"wait-budget", BoundedWait, true, waitBudget},
		{"holder-crash", BoundedWait, true, holderCrash},
		{"lost-reply", NoOrphan, false, lostReply},
		{"overrun", Exclusion, false, overrun},
		{"partition", Told, false, partition},
		{"stop-the-world", Fenced, false, stopTheWorld},
	}
}

// The holder's process dies right after its first command.
func crashBeforeExpire(w *World) {
	a, b := w.A, w.B
	a.CrashAfterCommand()
	a.TryLock(ttl)
	w.Advance(ttl + time.Second)
	b.TryLock(ttl) // A's lease must be over
	w.MustOwn(b)
}

// The work takes longer than the lease, and the late release deletes another's lock.
func misdelete(w *World) {
	a, b := w.A, w.B
	a.TryLock(ttl)
	w.Advance(8 * time.Second)
	a.Stop()
	w.LetLeaseEnd()
	b.TryLock(ttl)
	w.Advance(time.Second)
	a.Resume()
	a.Unlock()
	w.MustOwn(b)
}

// The holder stops between its check and its DEL.
func gcPause(w *World) {
	a, b := w.A, w.B
	a.TryLock(ttl)
	w.Advance(8 * time.Second)
	a.PauseBefore("del")
	a.Unlock()
	w.LetLeaseEnd()
	b.TryLock(ttl)
	w.Advance(time.Second)
	a.Resume()
	w.MustOwn(b)
}

// One waits, another too; the release hands the lock to one of them.
func handoff(w *World) {
	a, b, c := w.A, w.B, w.C
	a.TryLock(ttl)
	w.Advance(time.Second)
	b.Lock(ttl, time.Minute)
	w.Advance(time.Second)
	c.Lock(ttl, time.Minute)
	w.Advance(time.Second)
	a.Unlock()
	w.Advance(promptly)
	w.MustOwn(b)
	b.Unlock()
	w.Advance(promptly)
	w.MustOwn(c)
}

// The network is slow, and the wait must end within its budget all the same.
// What is won too late must be given back.
func waitBudget(w *World) {
	a, b, c := w.A, w.B, w.C
	a.TryLock(ttl)
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
	w.Advance(time.Second)
	b.Lock(ttl, time.Minute)
	w.Advance(time.Second)
	a.Kill()
	w.Advance(ttl)
	w.MustOwn(b)
}

// The lock was taken, and the reply never arrives. Its holder asks again.
func lostReply(w *World) {
	a, b := w.A, w.B
	a.LoseReply()
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
	w.Advance(ttl + time.Second)
	b.TryLock(ttl)
	w.MustOwn(a)
}

// The holder goes on working and cannot reach Redis any more.
func partition(w *World) {
	a, b := w.A, w.B
	a.TryLock(ttl)
	w.Advance(time.Second)
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
	w.Advance(time.Second)
	a.PauseBefore("write")
	a.Write()
	w.LetLeaseEnd()
	b.TryLock(ttl)
	b.Write()
	w.Advance(time.Second)
	a.Resume()
}
