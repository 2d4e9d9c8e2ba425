// Package workshop judges a reader's own lock. An exercise is a package of its own, and
// nothing imports it: one that does not compile stands alone.
package workshop

import (
	"fmt"
	"slices"
	"strings"

	"redislocklab/simulations"
)

// Exercise is a step of the ladder that the reader writes.
type Exercise struct {
	Number  int
	Title   string
	Folder  string   // from the root of the repository
	From    string   // the stage whose lock it begins with, or nearly
	Given   []string // files of that stage, which the reader leaves alone
	Answer  string   // a stage with a right answer; "": lock.go.answer in Folder
	Asks    asked    // the rules of the contract, but those of Late
	Earlier []string // the races that the starter wins
	Race    string   // the one that it loses: the task
	Orders  []simulations.Bounds
	Late    []string // rules that the starter breaks by its fault: asked when the races hold
	Next    string   // what to type after it
}

// Stages is how many exercises belong to a stage; the others are the articles' faults.
const Stages = 5

// Exercises are those of the five stages, and then the articles' faults.
func Exercises() []Exercise {
	return []Exercise{
		{
			Number: 1, Title: "one command takes the lock",
			Folder: "stage1_setnx/exercise", From: "stage1_setnx", Given: []string{"input.go"}, Answer: "stage1_setnx",
			Asks: theBasics, Race: "crash-before-expire",
			Orders: []simulations.Bounds{noExpiry},
			Next:   "make stage2",
		}, {
			Number: 2, Title: "the lock says whose it is",
			Folder: "stage2_owner_token/exercise", From: "stage1_setnx", Given: []string{"input.go"}, Answer: "stage2_owner_token",
			Asks: theBasics, Earlier: []string{"crash-before-expire"}, Race: "misdelete",
			Orders: []simulations.Bounds{noExpiry},
			Next:   "make stage3",
		}, {
			Number: 3, Title: "compare and delete in one step",
			Folder: "stage3_lua/exercise", From: "stage2_owner_token", Given: []string{"input.go"}, Answer: "stage3_lua",
			Asks: theBasics, Earlier: []string{"crash-before-expire", "misdelete"}, Race: "gc-pause",
			Orders: []simulations.Bounds{noExpiry, ownerOnly},
			Next:   "make stage4",
		}, {
			Number: 4, Title: "the release reaches who waits",
			Folder: "stage4_blocking/exercise", From: "stage3_lua", Given: []string{"input.go", "unlock.lua"}, Answer: "stage4_blocking",
			Asks: theBasicsOfWaiting, Earlier: []string{"crash-before-expire", "misdelete", "gc-pause", "holder-crash"}, Race: "handoff",
			Orders: []simulations.Bounds{noExpiryWaiting, ownerOnlyOfTwo}, Late: []string{"wait: woken by the release"},
			Next: "make stage5",
		}, {
			Number: 5, Title: "keep it while working, be told when it is gone",
			Folder: "stage5_renewal/exercise", From: "stage4_blocking", Given: []string{"input.go", "wait.go", "lock.lua", "unlock.lua"}, Answer: "stage5_renewal",
			Asks:    everything,
			Earlier: []string{"crash-before-expire", "misdelete", "gc-pause", "handoff", "wait-budget", "holder-crash", "lost-reply"}, Race: "overrun",
			Orders: []simulations.Bounds{everyPromise},
			Next:   "make race RACE=stop-the-world STAGE=5",
		}, {
			Number: 6, Title: "a release that compares with itself (article 2)",
			Folder: "simulations/articles/exercise_self_compare", From: "stage2_owner_token", Given: []string{"input.go"},
			Asks: theBasics, Earlier: []string{"crash-before-expire"}, Race: "misdelete",
			Orders: []simulations.Bounds{noExpiry}, Late: []string{"almost the same token"},
			Next: "make exercise7",
		}, {
			Number: 7, Title: "a token that everybody has (article 2)",
			Folder: "simulations/articles/exercise_constant_token", From: "stage3_lua", Given: []string{"input.go", "unlock.lua"},
			Asks: theBasics, Earlier: []string{"crash-before-expire"}, Race: "misdelete",
			Orders: []simulations.Bounds{noExpiry, ownerOnly},
			Next:   "make exercise8",
		}, {
			Number: 8, Title: "a wait that counts only its sleeps (article 3)",
			Folder: "simulations/articles/exercise_wait_budget", From: "stage3_lua", Given: []string{"input.go", "unlock.lua"},
			Asks: theBasicsOfTrying, Earlier: []string{"crash-before-expire", "misdelete", "gc-pause", "handoff", "holder-crash"}, Race: "wait-budget",
			Orders: []simulations.Bounds{noExpiryWaiting, ownerOnlyOfTwo}, Late: []string{"wait: until cancelled"},
			Next: "make progress",
		},
	}
}

// What an exploration tries after the races.
var (
	alone           = []simulations.Invariant{simulations.OwnerOnly, simulations.Exclusion, simulations.NoOrphan}
	noExpiry        = simulations.Bounds{Actors: 3, Expiries: -1, Check: alone}
	noExpiryWaiting = simulations.Bounds{Actors: 2, Expiries: -1, Check: append(slices.Clone(alone), simulations.BoundedWait)}
	ownerOnly       = simulations.Bounds{Actors: 3, Expiries: 2, Check: alone[:1]}
	ownerOnlyOfTwo  = simulations.Bounds{Actors: 2, Expiries: 2, Check: alone[:1]}
	everyPromise    = simulations.Bounds{Actors: 2, Expiries: 1, Check: append(slices.Clone(alone), simulations.BoundedWait, simulations.Told)}
)

// asked tells whether an exercise asks for a rule.
type asked func(rule string) bool

func everything(string) bool { return true }

// theBasics are what a first lock can keep. An answer with SetNX is a good one, although
// it takes a key of another type for a lock, and does not know its own token.
func theBasics(rule string) bool {
	return rule != "a key of another type" && rule != "a command sent twice"
}

// theBasicsOfWaiting leaves out what needs a second goroutine.
func theBasicsOfWaiting(rule string) bool {
	return theBasicsOfTrying(rule) || slices.Contains([]string{
		"wait: within the budget", "wait: until cancelled", "wait: a dead holder", "wait: unlock after the context has ended",
	}, rule)
}

func theBasicsOfTrying(rule string) bool {
	return theBasics(rule) && !strings.HasPrefix(rule, "wait: ") || rule == "wait: a free lock"
}

// Keeps are the promises that an exploration has checked.
func (e Exercise) Keeps(order string) []simulations.Invariant {
	for _, bounds := range e.Orders {
		if bounds.String() == order {
			return bounds.Check
		}
	}
	return nil
}

// Find returns the exercise of that number.
func Find(number string) (Exercise, error) {
	for _, e := range Exercises() {
		if fmt.Sprint(e.Number) == number {
			return e, nil
		}
	}
	return Exercise{}, fmt.Errorf("there is no exercise %q: they are 1 to %d", number, len(Exercises()))
}
