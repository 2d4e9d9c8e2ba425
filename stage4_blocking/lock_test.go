package blocking_test

import (
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"redislocklab/simulations"
	blocking "redislocklab/stage4_blocking"
)

const (
	ttl     = time.Second
	lockKey = "lock:{order}"
	queue   = "lock:{order}:waiters"
)

func TestContract(t *testing.T) {
	simulations.Contract(t, simulations.Stages()[3], simulations.Errors{
		NotHeld: blocking.ErrNotHeld,
		Held:    blocking.ErrHeld,
		Busy:    blocking.ErrBusy,
		Invalid: blocking.ErrInvalid,
	}, simulations.InBubble)
}

func TestUnlockLeavesTheLockOfAnother(t *testing.T) {
	simulations.InBubble(t, func(t *testing.T, connect func() redis.UniversalClient) {
		client := connect()
		a, b := blocking.New(client, "order"), blocking.New(client, "order")
		take(t, a, 100*time.Millisecond)
		time.Sleep(101 * time.Millisecond) // the lease of A ends
		take(t, b, time.Second)
		require.ErrorIs(t, a.Unlock(t.Context()), blocking.ErrNotHeld)
		require.NoError(t, b.Unlock(t.Context()))
	})
}

func TestScriptsAreLoadedAgain(t *testing.T) {
	simulations.InBubble(t, func(t *testing.T, connect func() redis.UniversalClient) {
		client := connect()
		l := blocking.New(client, "order")
		for range 2 {
			take(t, l, time.Second)
			require.NoError(t, client.ScriptFlush(t.Context()).Err())
			require.NoError(t, l.Unlock(t.Context()))
			require.NoError(t, client.ScriptFlush(t.Context()).Err())
		}
	})
}

// The script fails half-way: then nothing is taken.
func TestAQueueKeyOfAnotherType(t *testing.T) {
	simulations.InBubble(t, func(t *testing.T, connect func() redis.UniversalClient) {
		client := connect()
		require.NoError(t, client.Set(t.Context(), queue, "not a queue", 0).Err())
		taken, err := blocking.New(client, "order").TryLock(t.Context(), ttl)
		require.ErrorContains(t, err, "WRONGTYPE")
		require.False(t, taken)
		require.Zero(t, client.Exists(t.Context(), lockKey).Val())
	})
}

func take(t *testing.T, l *blocking.Lock, ttl time.Duration) {
	t.Helper()
	taken, err := l.TryLock(t.Context(), ttl)
	require.NoError(t, err)
	require.True(t, taken)
}
