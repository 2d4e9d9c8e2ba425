// Package workshop judges a reader's own lock. An exercise is a package of its own, and
// nothing imports it: one that does not compile stands alone.
package workshop

import (
	"fmt"
	"slices"

	"redislocklab/simulations"
)

// Exercise is a step of the ladder that the reader writes.
type Exercise struct {
	Number  int
	Title   string
	Folder  string   // from the root of the repository
	From    string   // the stage that its starter was made from
	Given   []string // files of that stage, which the reader leaves alone
	Answer  string   // a stage with a right answer; "": lock.go.answer in Folder
	Spared  []string // rules of the contract that are not asked
	Earlier []string // the races that the starter wins
	Race    string   // the one that it loses: the task
	After   []string // races and rules that it loses by the same fault, asked after it
	Orders  []simulations.Bounds
	Next    string // what to type when it is done
}

// Exercises are those of the stages, by their numbers, and then the articles' faults.
func Exercises() []Exercise {
	return []Exercise{
		{
			Number: 1, Title: "one command takes the lock",
			Folder: "stage1_setnx/exercise", From: "stage1_setnx", Given: []string{"input.go"}, Answer: "stage1_setnx",
			Spared: subtle, Race: "crash-before-expire",
			Orders: []simulations.Bounds{noExpiry},
			Next:   "make stage2",
		}, {
			Number: 2, Title: "the lock says whose it is",
			Folder: "stage2_owner_token/exercise", From: "stage1_setnx", Given: []string{"input.go"}, Answer: "stage2_owner_token",
			Spared: subtle, Earlier: []string{"crash-before-expire"}, Race: "misdelete",
			Orders: []simulations.Bounds{noExpiry},
			Next:   "make stage3",
		}, {
			Number: 3, Title: "compare and delete in one step",
			Folder: "stage3_lua/exercise", From: "stage2_owner_token", Given: []string{"input.go"}, Answer: "stage3_lua",
			Spared: subtle, Earlier: []string{"crash-before-expire", "misdelete"}, Race: "gc-pause",
			Orders: []simulations.Bounds{noExpiry, ownerOnly},
			Next:   "make stage4",
		}, {
			Number: 4, Title: "the release reaches who waits",
			Folder: "stage4_blocking/exercise", From: "stage3_lua", Given: []string{"input.go", "unlock.lua"}, Answer: "stage4_blocking",
			Spared: slices.Concat(subtle, waitsPerfectly), Earlier: []string{"crash-before-expire", "misdelete", "gc-pause", "holder-crash"}, Race: "handoff",
			Orders: []simulations.Bounds{noExpiryWaiting, ownerOnlyOfTwo},
			Next:   "make stage5",
		}, {
			Number: 5, Title: "keep it while working, be told when it is gone",
			Folder: "stage5_renewal/exercise", From: "stage4_blocking", Given: []string{"input.go", "wait.go", "lock.lua", "unlock.lua"}, Answer: "stage5_renewal",
			Earlier: []string{"crash-before-expire", "misdelete", "gc-pause", "handoff", "wait-budget", "holder-crash", "lost-reply"}, Race: "overrun",
			After:  []string{"partition"},
			Orders: []simulations.Bounds{everyPromise},
			Next:   "make race RACE=stop-the-world STAGE=5",
		}, {
			Number: 6, Title: "a release that compares with itself (article 2)",
			Folder: "simulations/articles/exercise_self_compare", From: "stage2_owner_token", Given: []string{"input.go"},
			Spared: subtle, Earlier: []string{"crash-before-expire"}, Race: "misdelete",
			Orders: []simulations.Bounds{noExpiry}, After: []string{"almost the same token"},
			Next: "make exercise7",
		}, {
			Number: 7, Title: "a token that everybody has (article 2)",
			Folder: "simulations/articles/exercise_constant_token", From: "stage3_lua", Given: []string{"input.go", "unlock.lua"},
			Spared: subtle, Earlier: []string{"crash-before-expire"}, Race: "misdelete",
			Orders: []simulations.Bounds{noExpiry, ownerOnly},
			Next:   "make exercise8",
		}, {
			Number: 8, Title: "a wait that counts only its sleeps (article 3)",
			Folder: "simulations/articles/exercise_wait_budget", From: "stage3_lua", Given: []string{"input.go", "unlock.lua"},
			Spared: slices.Concat(subtle, waitsPerfectly, waitsAtAll), Earlier: []string{"crash-before-expire", "misdelete", "gc-pause", "handoff", "holder-crash"}, Race: "wait-budget",
			Orders: []simulations.Bounds{noExpiryWaiting, ownerOnlyOfTwo}, After: []string{"wait: until cancelled"},
			Next: "make progress",
		},
	}
}

// Rules that not every exercise asks for.
var (
	// An answer with SetNX is a good one, although it takes a key of another type for a
	// lock, and does not know its own token.
	subtle = []string{"a key of another type", "a command sent twice"}
	// What needs a second goroutine, a second look after an error, a release that wakes
	// one waiter at once, or a look at the input before it subscribes.
	waitsPerfectly = []string{
		"wait: woken by the release", "wait: cancelled while a command hangs", "wait: bad input", "wait: busy",
		"wait: what is won too late", "wait: no connection, with a budget", "wait: no connection, without a budget",
		"wait: cut off for a while", "wait: a key of another type", "wait: a lost reply",
		"wait: a lost reply and another owner", "wait: several waiters", "wait: one release wakes one",
	}
	// What article 3 does not do.
	waitsAtAll = []string{
		"wait: within the budget", "wait: until cancelled", "wait: a dead holder", "wait: unlock after the context has ended",
	}
)

// What an exploration tries after the races.
var (
	alone           = []simulations.Invariant{simulations.OwnerOnly, simulations.Exclusion, simulations.NoOrphan}
	noExpiry        = simulations.Bounds{Actors: 3, Expiries: -1, Check: alone}
	noExpiryWaiting = simulations.Bounds{Actors: 2, Expiries: -1, Check: append(slices.Clone(alone), simulations.BoundedWait)}
	ownerOnly       = simulations.Bounds{Actors: 3, Expiries: 2, Check: alone[:1]}
	ownerOnlyOfTwo  = simulations.Bounds{Actors: 2, Expiries: 2, Check: alone[:1]}
	everyPromise    = simulations.Bounds{Actors: 2, Expiries: 1, Check: append(slices.Clone(alone), simulations.BoundedWait, simulations.Told)}
)

// Find returns the exercise of that number.
func Find(number string) (Exercise, error) {
	for _, e := range Exercises() {
		if fmt.Sprint(e.Number) == number {
			return e, nil
		}
	}
	return Exercise{}, fmt.Errorf("there is no exercise %q: they are 1 to %d", number, len(Exercises()))
}
