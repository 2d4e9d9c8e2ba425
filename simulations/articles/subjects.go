// Package articles holds the locks of three articles as they were printed, faults
// included, so that the simulated world can judge them like any other lock. Do not
// use them for anything else.
package articles

import (
	"crypto/rand"

	"github.com/redis/go-redis/v9"

	"redislocklab/simulations"
)

// Subjects returns the listings in the order of the articles. Each holder is a
// process of its own, whose main thread asks for the lock.
func Subjects() []simulations.Subject {
	return []simulations.Subject{
		subject("article1/simple", func(l listing) simulations.Locker { return &simple{l, mainThread} }),
		subject("article1/owner", func(l listing) simulations.Locker { return &owner{l, newProcess(), mainThread} }),
		subject("article1/lua", func(l listing) simulations.Locker { return &lua{owner{l, newProcess(), mainThread}} }),
		subject("article2/setnx-expire", func(l listing) simulations.Locker { return &setnxExpire{l} }),
		subject("article2/lua-acquire", func(l listing) simulations.Locker { return &luaAcquire{l, constantToken} }),
		subject("article3/try", func(l listing) simulations.Locker { return &try{l, rand.Text()} }),
		subject("article3/block-forever", func(l listing) simulations.Locker { return &blockForever{try{l, rand.Text()}} }),
		subject("article3/block-budget", func(l listing) simulations.Locker { return &blockBudget{try{l, rand.Text()}} }),
	}
}

func subject(name string, lock func(listing) simulations.Locker) simulations.Subject {
	return simulations.Subject{
		Name: name,
		Key:  key,
		New: func(client redis.UniversalClient, name string) simulations.Locker {
			return lock(listing{client, key(name)})
		},
	}
}
