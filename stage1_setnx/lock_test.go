package setnx_test

import (
	"context"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"redislocklab/simulations"
	setnx "redislocklab/stage1_setnx"
)

func TestContract(t *testing.T) {
	simulations.Contract(t, simulations.Stages()[0], simulations.Errors{
		NotHeld: setnx.ErrNotHeld,
		Held:    setnx.ErrHeld,
		Busy:    setnx.ErrBusy,
		Invalid: setnx.ErrInvalid,
	}, simulations.InBubble)
}

// The fault of this stage: Unlock does not ask whose lock it deletes.
func TestUnlockDeletesTheLockOfAnother(t *testing.T) {
	simulations.InBubble(t, func(t *testing.T, connect func() redis.UniversalClient) {
		client := connect()
		a, b, c := setnx.New(client, "order"), setnx.New(client, "order"), setnx.New(client, "order")
		take(t, a, 100*time.Millisecond)
		time.Sleep(101 * time.Millisecond) // the lease of A ends
		take(t, b, time.Second)
		require.NoError(t, a.Unlock(t.Context()))
		take(t, c, time.Second) // while B believes that it is alone
		require.NoError(t, b.Unlock(t.Context()))
		require.ErrorIs(t, c.Unlock(t.Context()), setnx.ErrNotHeld)
	})
}

func TestUnlockWithAnEndedContextSendsNothing(t *testing.T) {
	simulations.InBubble(t, func(t *testing.T, connect func() redis.UniversalClient) {
		l := setnx.New(connect(), "order")
		take(t, l, time.Second)
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		require.ErrorIs(t, l.Unlock(ended), context.Canceled)
		require.NoError(t, l.Unlock(t.Context()), "it was still held")
	})
}

func take(t *testing.T, l *setnx.Lock, ttl time.Duration) {
	t.Helper()
	taken, err := l.TryLock(t.Context(), ttl)
	require.NoError(t, err)
	require.True(t, taken)
}
