package simulations

import (
	"slices"
	"strings"

	"github.com/redis/go-redis/v9"
)

// Staircase is the verdict that each race gives on each stage, and on the two locks of
// beyond. TestLadder measures it in the simulation, and the tests of realredis in real time.
const Staircase = `
                     1       2       3       4       5       fenced  quorum
crash-before-expire  holds   holds   holds   holds   holds   holds   holds
misdelete            BROKEN  holds   holds   holds   holds   holds   holds
gc-pause             BROKEN  BROKEN  holds   holds   holds   holds   holds
handoff              –       –       –       holds   holds   holds   –
wait-budget          –       –       –       holds   holds   holds   –
holder-crash         –       –       –       holds   holds   holds   –
lost-reply           BROKEN  BROKEN  BROKEN  holds   holds   holds   holds
overrun              BROKEN  BROKEN  BROKEN  BROKEN  holds   holds   holds
partition            BROKEN  BROKEN  BROKEN  BROKEN  holds   holds   holds
stop-the-world       BROKEN  BROKEN  BROKEN  BROKEN  BROKEN  holds   BROKEN
failover             BROKEN  BROKEN  BROKEN  BROKEN  BROKEN  BROKEN  holds
`

// Cell is what the staircase says of a race on the nth of its locks.
func Cell(race string, nth int) Verdict {
	for row := range strings.Lines(Staircase) {
		if cells := strings.Fields(row); len(cells) > nth+1 && cells[0] == race {
			return Verdict(cells[nth+1])
		}
	}
	return ""
}

// Promises are the invariants that a lock is meant to keep in every story: what Explore
// checks. They follow from what the lock offers. Stages 1 and 2 break theirs, and that
// is what their lessons are about. No stage promises Fenced.
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
	if _, fences := lock.(fencer); fences {
		promises = append(promises, Fenced)
	}
	return promises
}
