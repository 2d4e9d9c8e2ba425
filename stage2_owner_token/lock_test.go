package ownertoken_test

import (
	"context"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"redislocklab/simulations"
	ownertoken "redislocklab/stage2_owner_token"
)

func TestContract(t *testing.T) {
	simulations.Contract(t, simulations.Stages()[1], simulations.Errors{
		NotHeld: ownertoken.ErrNotHeld,
		Held:    ownertoken.ErrHeld,
		Busy:    ownertoken.ErrBusy,
		Invalid: ownertoken.ErrInvalid,
	}, simulations.InBubble)
}

func TestUnlockLeavesTheLockOfAnother(t *testing.T) {
	simulations.InBubble(t, func(t *testing.T, connect func() redis.UniversalClient) {
		client := connect()
		a, b := ownertoken.New(client, "order"), ownertoken.New(client, "order")
		take(t, a, 100*time.Millisecond)
		time.Sleep(101 * time.Millisecond) // the lease of A ends
		take(t, b, time.Second)
		require.ErrorIs(t, a.Unlock(t.Context()), ownertoken.ErrNotHeld)
		require.NoError(t, b.Unlock(t.Context()))
	})
}

// The fault of this stage: the lock can change hands between the GET and the DEL.
func TestUnlockDeletesTheLockOfAnotherAfterAPause(t *testing.T) {
	simulations.InBubble(t, func(t *testing.T, connect func() redis.UniversalClient) {
		client := connect()
		wire := simulations.NewWire(t, client)
		a, b := ownertoken.New(client, "order"), ownertoken.New(connect(), "order")
		take(t, a, 100*time.Millisecond)
		pause := wire.HoldReply() // of the GET: A has its answer, and does not go on
		done := make(chan error, 1)
		go func() { done <- a.Unlock(context.Background()) }()
		<-pause.Reached
		time.Sleep(101 * time.Millisecond) // the lease of A ends
		take(t, b, time.Second)
		pause.Go()
		require.NoError(t, <-done)
		require.ErrorIs(t, b.Unlock(t.Context()), ownertoken.ErrNotHeld)
	})
}

func TestTokenIsNewForEveryAcquisition(t *testing.T) {
	simulations.InBubble(t, func(t *testing.T, connect func() redis.UniversalClient) {
		client := connect()
		l, seen := ownertoken.New(client, "order"), map[string]bool{}
		for range 10 {
			take(t, l, time.Second)
			token := client.Get(t.Context(), "lock:{order}").Val()
			require.GreaterOrEqual(t, len(token), 26) // 128 bits in base 32
			require.NotContains(t, seen, token)
			seen[token] = true
			require.NoError(t, l.Unlock(t.Context()))
		}
	})
}

func take(t *testing.T, l *ownertoken.Lock, ttl time.Duration) {
	t.Helper()
	taken, err := l.TryLock(t.Context(), ttl)
	require.NoError(t, err)
	require.True(t, taken)
}
