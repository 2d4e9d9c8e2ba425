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

// Of one node, it promises what every lock does.
func TestContractOfOneNode(t *testing.T) {
	simulations.Contract(t, simulations.Subject{Name: "quorum", New: func(c redis.UniversalClient, name string) simulations.Locker {
		return quorum.New([]redis.UniversalClient{c}, name)
	}}, simulations.Errors{
		NotHeld: quorum.ErrNotHeld,
		Held:    quorum.ErrHeld,
		Busy:    quorum.ErrBusy,
		Invalid: quorum.ErrInvalid,
		Lost:    quorum.ErrLost,
	}, simulations.InBubble)
}

func TestBadClients(t *testing.T) {
	client := redis.NewClient(&redis.Options{})
	defer client.Close()
	for name, clients := range map[string][]redis.UniversalClient{
		"no client":       nil,
		"a nil client":    {nil},
		"a nil among two": {client, (*redis.Client)(nil)},
		"one twice":       {client, client},
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
		require.ErrorIs(t, err, simulations.ErrCut)
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

// The validity counts from before the first command, less the drift.
func TestItEndsBeforeTheNodesDo(t *testing.T) {
	inThreeNodes(t, func(t *testing.T, n nodes) {
		a := n.lock()
		since := time.Now()
		a.take()
		n.down(1)
		n.down(2)
		select {
		case <-a.Context().Done():
		case <-time.After(ttl):
		}
		require.ErrorIs(t, context.Cause(a.Context()), quorum.ErrLost)
		require.Equal(t, ttl-ttl/100-2*time.Millisecond, time.Since(since))
		require.ErrorIs(t, a.Unlock(t.Context()), simulations.ErrCut)
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

// What must have been won within the lease was won too late.
func TestNothingIsLeftOfTheLease(t *testing.T) {
	inThreeNodes(t, func(t *testing.T, n nodes) {
		taken, err := n.lock().TryLock(t.Context(), 2*time.Millisecond)
		require.ErrorIs(t, err, quorum.ErrLost)
		require.False(t, taken)
		require.Zero(t, n.keys())
	})
}

func TestUnlockWorksAlthoughTheContextHasEnded(t *testing.T) {
	inThreeNodes(t, func(t *testing.T, n nodes) {
		a := n.lock()
		a.take()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		require.NoError(t, a.Unlock(ctx))
		time.Sleep(time.Millisecond)
		require.Zero(t, n.keys())
	})
}

// listed is a client that Go cannot compare with another.
type listed struct {
	redis.UniversalClient
	_ []string
}

func TestClientsThatCannotBeCompared(t *testing.T) {
	inThreeNodes(t, func(t *testing.T, n nodes) {
		var clients []redis.UniversalClient
		for _, server := range n.servers {
			clients = append(clients, listed{UniversalClient: n.client(server)})
		}
		l := quorum.New(clients, "order")
		taken, err := l.TryLock(t.Context(), ttl)
		require.NoError(t, err)
		require.True(t, taken)
		require.NoError(t, l.Unlock(t.Context()))
	})
}
