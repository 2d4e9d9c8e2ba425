package renewal_test

import (
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"redislocklab/simulations"
	renewal "redislocklab/stage5_renewal"
)

const (
	ttl     = time.Second
	lockKey = "lock:{order}"
)

func TestContract(t *testing.T) {
	simulations.Contract(t, simulations.Stages()[4], simulations.Errors{
		NotHeld: renewal.ErrNotHeld,
		Held:    renewal.ErrHeld,
		Busy:    renewal.ErrBusy,
		Invalid: renewal.ErrInvalid,
		Lost:    renewal.ErrLost,
	}, simulations.InBubble)
}

func TestScriptsAreLoadedAgain(t *testing.T) {
	simulations.InBubble(t, func(t *testing.T, connect func() redis.UniversalClient) {
		client := connect()
		l := renewal.New(client, "order")
		for range 2 {
			take(t, l, ttl)
			require.NoError(t, client.ScriptFlush(t.Context()).Err())
			time.Sleep(2 * ttl) // it can renew
			require.NoError(t, l.Context().Err())
			require.NoError(t, client.ScriptFlush(t.Context()).Err())
			require.NoError(t, l.Unlock(t.Context()))
		}
	})
}

// The reply to the SET comes when the lease is over: that is no lock.
func TestALockThatArrivesTooLateIsNone(t *testing.T) {
	for _, late := range []time.Duration{ttl - ttl/200, 2 * ttl} {
		simulations.InBubble(t, func(t *testing.T, connect func() redis.UniversalClient) {
			client := connect()
			wire, l := simulations.NewWire(t, client), renewal.New(client, "order")
			stop := wire.HoldReply()
			time.AfterFunc(late, stop.Go)
			taken, err := l.TryLock(t.Context(), ttl)
			require.ErrorIs(t, err, renewal.ErrLost)
			require.False(t, taken)
			require.Error(t, l.Context().Err())
			take(t, l, ttl) // it is ours still, or it is free
			require.NoError(t, l.Unlock(t.Context()))
		})
	}
}

func TestContextCanBeAskedForAtAnyTime(t *testing.T) {
	simulations.InBubble(t, func(t *testing.T, connect func() redis.UniversalClient) {
		l := renewal.New(connect(), "order")
		stop, done := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(done)
			for {
				select {
				case <-stop:
					return
				case <-time.After(time.Millisecond):
					_ = l.Context().Err()
				}
			}
		}()
		for range 20 {
			take(t, l, ttl)
			time.Sleep(ttl / 2)
			require.NoError(t, l.Unlock(t.Context()))
		}
		close(stop)
		<-done
	})
}

func take(t *testing.T, l *renewal.Lock, ttl time.Duration) {
	t.Helper()
	taken, err := l.TryLock(t.Context(), ttl)
	require.NoError(t, err)
	require.True(t, taken)
}
