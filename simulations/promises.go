package simulations

// Promises are the invariants that a lock is meant to keep: what Explore checks. Stage
// 1 and 2 do not keep theirs, and that is what their lessons are about. A lock that is
// no stage is held to what its methods offer.
func Promises(subject Subject) []Invariant {
	promises := []Invariant{OwnerOnly}
	lock := subject.New(newEmbedded().connect(), lockName)
	if _, waits := lock.(waiter); waits {
		promises = append(promises, NoOrphan, BoundedWait)
	}
	if _, tells := lock.(teller); tells {
		promises = append(promises, Exclusion, Told)
	}
	return promises
}
