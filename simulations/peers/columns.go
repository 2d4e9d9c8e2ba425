package peers

import (
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/rueidis"

	"redislocklab/simulations"
)

// column is a library with its settings. A star: those that a careful user would choose,
// where they differ from its README's.
type column struct {
	simulations.Subject
	tracked bool // it needs a Redis that runs
}

func columns() []column {
	return []column{
		{Subject: simulations.Subject{Name: "redislock", New: func(c redis.UniversalClient, n string) simulations.Locker { return NewRedislock(c, n) }}},
		{Subject: simulations.Subject{Name: "redislock*", New: func(c redis.UniversalClient, n string) simulations.Locker { return NewCarefulRedislock(c, n) }}},
		{Subject: simulations.Subject{Name: "redsync", NewOn: func(c []redis.UniversalClient, n string) simulations.Locker { return NewRedsync(mortal(c), n) }}},
		{Subject: simulations.Subject{Name: "redsync*", NewOn: func(c []redis.UniversalClient, n string) simulations.Locker { return NewCarefulRedsync(mortal(c), n) }}},
		{Subject: simulations.Subject{Name: "redsync*3", Nodes: 3, NewOn: func(c []redis.UniversalClient, n string) simulations.Locker { return NewCarefulRedsync(mortal(c), n) }}},
		{Subject: simulations.Subject{Name: "rueidislock'", Key: rueidislockKey, New: func(c redis.UniversalClient, n string) simulations.Locker {
			lock := NewRueidislock(rueidis.ClientOption{DisableCache: true}, n)
			lock.Options.ClientBuilder = untracked(c)
			return lock
		}}},
		{Subject: simulations.Subject{Name: "rueidislock", Key: rueidislockKey}, tracked: true},
	}
}

func key(name string) string { return "lock:{" + name + "}" }

func rueidislockKey(name string) string { return "rueidislock:0:{" + name + "}" }

// play tells one story: in the simulated world, or on servers that run.
func (c column) play(t *testing.T, s simulations.Scenario) simulations.Report {
	t.Helper()
	if c.tracked {
		return c.playReal(t, s)
	}
	if make := c.New; s.Name == "partition" && make != nil {
		c.New = func(client redis.UniversalClient, name string) simulations.Locker { return patient(make(client, name)) }
	}
	return simulations.Play(t, s, c.Subject)
}

// patient lets rueidislock wait three seconds for an answer of Redis, and not 20 ms: the network of a partition is slower than that, and so can a busy machine be
// in real time.
func patient(lock simulations.Locker) simulations.Locker {
	if r, ok := lock.(*Rueidislock); ok {
		r.Options.TryNextAfter = 3 * time.Second
	}
	return lock
}
