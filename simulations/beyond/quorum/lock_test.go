package quorum_test

import (
	"context"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"redislocklab/simulations"
	"redislocklab/simulations/beyond/quorum"
)

// Of one node, it promises what every lock does; only that a key which is no lock counts
// as another's, because redis.io asks for a plain SET with NX.
func TestContractOfOneNode(t *testing.T) {
	subject := simulations.Subject{Name: "quorum", New: func(c redis.UniversalClient, name string) simulations.Locker {
		return quorum.New([]redis.UniversalClient{c}, name)
	}}
	errs := simulations.Errors{
		NotHeld: quorum.ErrNotHeld,
		Held:    quorum.ErrHeld,
		Busy:    quorum.ErrBusy,
		Invalid: quorum.ErrInvalid,
		Lost:    quorum.ErrLost,
	}
	rules := 0
	for _, rule := range simulations.Rules(subject) {
		if rule.Name == "a key of another type" {
			continue
		}
		rules++
		t.Run(rule.Name, func(t *testing.T) {
			rule.Try(t, subject, errs, simulations.InBubble, func(complaint string) { t.Error(complaint) })
		})
	}
	require.Equal(t, len(simulations.Rules(subject))-1, rules)
}

func TestBadClients(t *testing.T) {
	for name, clients := range map[string][]redis.UniversalClient{
		"no client":       nil,
		"a nil client":    {nil},
		"a nil among two": {redis.NewClient(&redis.Options{}), (*redis.Client)(nil)},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := quorum.New(clients, "order").TryLock(t.Context(), ttl)
			require.ErrorIs(t, err, quorum.ErrInvalid)
			require.ErrorContains(t, err, "client")
		})
	}
}

func TestAMajorityIsEnough(t *testing.T) {
	inThreeNodes(t, func(t *testing.T, n nodes) {
		a, b := n.lock(), n.lock()
		n.down(0)
		a.take()
		b.refused()
		time.Sleep(5 * ttl)
		require.NoError(t, a.Context().Err(), "it is renewed on the others")
		require.NoError(t, a.Unlock(t.Context()))
		b.take()
		require.NoError(t, b.Unlock(t.Context()))
		require.Zero(t, n.keys())

		n.down(1)
		_, err := a.TryLock(t.Context(), ttl)
		require.ErrorContains(t, err, "refused")
		require.ErrorIs(t, a.Unlock(t.Context()), quorum.ErrNotHeld)
		time.Sleep(ttl / 10) // so long a node has to answer
		require.Zero(t, n.keys(), "what a failed try got is given back")
	})
}

// Two try at the same moment, and each gets less than it needs.
func TestASplitVoteIsGivenBack(t *testing.T) {
	inThreeNodes(t, func(t *testing.T, n nodes) {
		a, b, c := n.lock(), n.lock(), n.lock()
		for i, l := range []*process{a, b, c} {
			for j, wire := range l.wires {
				asks, gives := wire.Hold(), wire.Hold()
				if i == j { // its own node hears it first
					asks.Go()
				}
				time.AfterFunc(time.Millisecond, asks.Go)
				time.AfterFunc(2*time.Millisecond, gives.Go)
			}
		}
		tries := make(chan bool, 3)
		for _, l := range []*process{a, b, c} {
			go func() {
				taken, err := l.TryLock(t.Context(), ttl)
				require.NoError(t, err)
				tries <- taken
			}()
		}
		for range 3 {
			require.False(t, <-tries)
		}
		require.Zero(t, n.keys())
		a.take()
		require.NoError(t, a.Unlock(t.Context()))
	})
}

// A node that is slow does not hold up the others, and what it does too late is undone.
func TestASlowNode(t *testing.T) {
	inThreeNodes(t, func(t *testing.T, n nodes) {
		a := n.lock()
		stop := a.wires[0].Hold()
		since := time.Now()
		a.take()
		require.Equal(t, ttl/10, time.Since(since), "so long it is waited for")
		require.NoError(t, a.Unlock(t.Context()))
		require.Equal(t, ttl/10, time.Since(since), "two have said yes")
		stop.Go() // and only now it hears of the lock
		time.Sleep(time.Millisecond)
		require.Zero(t, n.keys())
	})
}

func TestASlowMajorityIsAnError(t *testing.T) {
	inThreeNodes(t, func(t *testing.T, n nodes) {
		a, b := n.lock(), n.lock()
		stops := []*simulations.Stop{a.wires[0].HoldReply(), a.wires[1].HoldReply()}
		taken, err := a.TryLock(t.Context(), ttl)
		require.ErrorContains(t, err, "not all nodes have answered in time")
		require.False(t, taken)
		for _, stop := range stops {
			stop.Go()
		}
		time.Sleep(time.Millisecond)
		require.Zero(t, n.keys(), "although two nodes had carried it out")
		b.take()
		require.NoError(t, b.Unlock(t.Context()))
	})
}

func TestCancelledWhileItTries(t *testing.T) {
	inThreeNodes(t, func(t *testing.T, n nodes) {
		a := n.lock()
		stops := []*simulations.Stop{a.wires[0].Hold(), a.wires[1].Hold(), a.wires[2].HoldReply()}
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		since := time.Now()
		_, err := a.TryLock(ctx, ttl)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Equal(t, time.Millisecond, time.Since(since))
		for _, stop := range stops {
			stop.Go()
		}
		time.Sleep(time.Millisecond)
		require.Zero(t, n.keys())
	})
}

// The validity counts from before the first command, less the drift.
func TestItEndsBeforeTheNodesDo(t *testing.T) {
	inThreeNodes(t, func(t *testing.T, n nodes) {
		a := n.lock()
		since := time.Now()
		a.take()
		n.down(1)
		n.down(2)
		<-a.Context().Done()
		require.ErrorIs(t, context.Cause(a.Context()), quorum.ErrLost)
		require.Equal(t, ttl-ttl/100-2*time.Millisecond, time.Since(since))
		require.ErrorContains(t, a.Unlock(t.Context()), "refused")
		require.ErrorIs(t, a.Unlock(t.Context()), quorum.ErrLost, "it counts as held, until most answer")
	})
}

// The next renewal finds out that most nodes have lost it. One alone does not matter.
func TestKeysThatAreGone(t *testing.T) {
	inThreeNodes(t, func(t *testing.T, n nodes) {
		a := n.lock()
		a.take()
		n.servers[0].FlushAll()
		time.Sleep(2 * ttl)
		require.NoError(t, a.Context().Err())
		n.servers[1].FlushAll()
		time.Sleep(ttl / 3)
		require.ErrorIs(t, context.Cause(a.Context()), quorum.ErrLost)
		err := a.Unlock(t.Context())
		require.ErrorIs(t, err, quorum.ErrNotHeld)
		require.ErrorIs(t, err, quorum.ErrLost)
		time.Sleep(time.Millisecond) // two nodes have said no, and the third is on its way
		require.Zero(t, n.keys())
	})
}

// The replies took a while: what is left of the lease counts from before the first command.
func TestSlowNodesCountFromBefore(t *testing.T) {
	inThreeNodes(t, func(t *testing.T, n nodes) {
		a := n.lock()
		for _, wire := range a.wires {
			time.AfterFunc(ttl/20, wire.HoldReply().Go)
		}
		since := time.Now()
		a.take()
		require.Equal(t, ttl/20, time.Since(since))
		for _, wire := range a.wires {
			wire.Cut()
		}
		<-a.Context().Done()
		require.Equal(t, ttl-ttl/100-2*time.Millisecond, time.Since(since))
		for _, wire := range a.wires {
			wire.Mend()
		}
		require.Error(t, a.Unlock(t.Context()))
	})
}
