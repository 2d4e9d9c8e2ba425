package lua_test

import (
	"context"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"redislocklab/simulations"
	lua "redislocklab/stage3_lua"
)

func TestContract(t *testing.T) {
	simulations.Contract(t, simulations.Stages()[2], simulations.Errors{
		NotHeld: lua.ErrNotHeld,
		Held:    lua.ErrHeld,
		Busy:    lua.ErrBusy,
		Invalid: lua.ErrInvalid,
	}, simulations.InBubble)
}

// Wherever A stands still in Unlock, the lock of B is left alone.
func TestUnlockLeavesTheLockOfAnotherAfterAnyPause(t *testing.T) {
	for commands := range 3 { // that A still sends before it stands still
		simulations.InBubble(t, func(t *testing.T, connect func() redis.UniversalClient) {
			client := connect()
			wire := simulations.NewWire(t, client)
			a, b := lua.New(client, "order"), lua.New(connect(), "order")
			take(t, a, 100*time.Millisecond)
			for range commands {
				wire.Hold().Go()
			}
			pause := wire.Hold()
			done := make(chan error, 1)
			go func() { done <- a.Unlock(context.Background()) }()
			time.Sleep(101 * time.Millisecond) // the lease of A ends, if it is still held
			take(t, b, time.Second)
			pause.Go()
			if err := <-done; err != nil {
				require.ErrorIs(t, err, lua.ErrNotHeld)
			}
			require.NoError(t, b.Unlock(t.Context()))
		})
	}
}

// A server that was restarted or flushed does not know the script any more.
func TestUnlockLoadsItsScriptAgain(t *testing.T) {
	simulations.InBubble(t, func(t *testing.T, connect func() redis.UniversalClient) {
		client := connect()
		wire, l := simulations.NewWire(t, client), lua.New(client, "order")
		var sent []int
		for range 3 {
			take(t, l, time.Second)
			before := wire.Sent()
			require.NoError(t, l.Unlock(t.Context()))
			sent = append(sent, wire.Sent()-before)
			if len(sent) == 2 {
				require.NoError(t, connect().ScriptFlush(t.Context()).Err())
			}
		}
		require.Equal(t, []int{2, 1, 2}, sent) // EVALSHA alone, if the script is known
		require.Zero(t, client.Exists(t.Context(), "lock:{order}").Val())
	})
}

func take(t *testing.T, l *lua.Lock, ttl time.Duration) {
	t.Helper()
	taken, err := l.TryLock(t.Context(), ttl)
	require.NoError(t, err)
	require.True(t, taken)
}
