// Package beyond has what no stage can do: a lock with a fencing token for a store that
// refuses late writes, and a lock on a quorum of Redis servers. README.md says which of
// the two you need, and when neither is enough.
package beyond

import (
	"slices"

	"github.com/redis/go-redis/v9"

	"redislocklab/simulations"
	"redislocklab/simulations/beyond/fenced"
	"redislocklab/simulations/beyond/quorum"
)

// Subjects returns the two locks. The quorum is of three nodes.
func Subjects() []simulations.Subject {
	return []simulations.Subject{
		{
			Name:  "fenced",
			New:   func(c redis.UniversalClient, n string) simulations.Locker { return fenced.New(c, n) },
			Keeps: ":fence",
		},
		{
			Name:  "quorum",
			Nodes: 3,
			NewOn: func(c []redis.UniversalClient, n string) simulations.Locker { return quorum.New(c, n) },
		},
	}
}

// Columns are all locks of the staircase: the stages, and these two.
func Columns() []simulations.Subject { return slices.Concat(simulations.Stages(), Subjects()) }

// Rows are all races: those of the staircase, and those that only these two can enter.
func Rows() []simulations.Scenario { return slices.Concat(simulations.Scenarios(), Scenarios()) }
