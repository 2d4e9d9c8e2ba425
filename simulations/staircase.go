package simulations

import (
	"slices"

	"github.com/redis/go-redis/v9"
)

// Staircase is the verdict that each race gives on each stage. TestLadder measures it.
const Staircase = `
crash-before-expire  holds   holds   holds   holds   holds
misdelete            BROKEN  holds   holds   holds   holds
gc-pause             BROKEN  BROKEN  holds   holds   holds
handoff              –       –       –       holds   holds
wait-budget          –       –       –       holds   holds
holder-crash         –       –       –       holds   holds
lost-reply           BROKEN  BROKEN  BROKEN  holds   holds
overrun              BROKEN  BROKEN  BROKEN  BROKEN  holds
partition            BROKEN  BROKEN  BROKEN  BROKEN  holds
stop-the-world       BROKEN  BROKEN  BROKEN  BROKEN  BROKEN
`

// Promises are the invariants that a lock is meant to keep in every story: what Explore
// checks. They follow from what the lock offers. Stages 1 and 2 break theirs, and that
// is what their lessons are about. No lock promises Fenced.
func Promises(subject Subject) []Invariant {
	client := redis.NewClient(&redis.Options{}) // never dialled
	defer client.Close()
	lock := subject.lock(slices.Repeat([]redis.UniversalClient{client}, max(1, subject.Nodes)), lockName)

	promises := []Invariant{OwnerOnly} // stages 1, 2 and 3
	if _, waits := lock.(waiter); waits {
		promises = append(promises, NoOrphan, BoundedWait) // from stage 4 on
	}
	if _, tells := lock.(teller); tells {
		promises = append(promises, Exclusion, Told) // stage 5
	}
	return promises
}
