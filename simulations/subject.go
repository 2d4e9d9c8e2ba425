package simulations

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"

	setnx "redislocklab/stage1_setnx"
	ownertoken "redislocklab/stage2_owner_token"
	lua "redislocklab/stage3_lua"
	blocking "redislocklab/stage4_blocking"
	renewal "redislocklab/stage5_renewal"
)

// Locker is what every lock offers. Two more methods are found by type assertion:
// Lock(ctx, ttl) error, which waits, and Context() context.Context, which ends when
// the lock is gone.
type Locker interface {
	TryLock(ctx context.Context, ttl time.Duration) (bool, error)
	Unlock(ctx context.Context) error
}

type waiter interface {
	Lock(ctx context.Context, ttl time.Duration) error
}

type teller interface {
	Context() context.Context
}

// fencer has a number for each acquisition, which grows, for the resource to look at.
type fencer interface {
	FencingToken() int64
}

// Subject is a lock to be judged.
type Subject struct {
	Name  string                                                 // "stage3_lua"
	Key   func(name string) string                               // nil: "lock:{" + name + "}"
	Keeps string                                                 // a key beside the lock's that outlives it: how its name ends
	New   func(client redis.UniversalClient, name string) Locker // one holder

	// A lock on several Redis servers that know nothing of each other has, instead of New:
	Nodes int                                                     // how many
	NewOn func(nodes []redis.UniversalClient, name string) Locker // one holder, a client for each
}

func (s Subject) lock(clients []redis.UniversalClient, name string) Locker {
	if s.NewOn != nil {
		return s.NewOn(clients, name)
	}
	return s.New(clients[0], name)
}

func (s Subject) key(name string) string {
	if s.Key == nil {
		return "lock:{" + name + "}"
	}
	return s.Key(name)
}

// Stages returns the five locks of the lab, in order.
func Stages() []Subject {
	return []Subject{
		{Name: "stage1_setnx", New: func(c redis.UniversalClient, n string) Locker { return setnx.New(c, n) }},
		{Name: "stage2_owner_token", New: func(c redis.UniversalClient, n string) Locker { return ownertoken.New(c, n) }},
		{Name: "stage3_lua", New: func(c redis.UniversalClient, n string) Locker { return lua.New(c, n) }},
		{Name: "stage4_blocking", New: func(c redis.UniversalClient, n string) Locker { return blocking.New(c, n) }},
		{Name: "stage5_renewal", New: func(c redis.UniversalClient, n string) Locker { return renewal.New(c, n) }},
	}
}
