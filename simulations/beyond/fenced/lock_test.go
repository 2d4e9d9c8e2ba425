package fenced_test

import (
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"redislocklab/simulations"
	"redislocklab/simulations/beyond"
	"redislocklab/simulations/beyond/fenced"
)

const ttl = time.Second

func TestContract(t *testing.T) {
	simulations.Contract(t, beyond.Subjects()[0], simulations.Errors{
		NotHeld: fenced.ErrNotHeld,
		Held:    fenced.ErrHeld,
		Busy:    fenced.ErrBusy,
		Invalid: fenced.ErrInvalid,
		Lost:    fenced.ErrLost,
	}, simulations.InBubble)
}

// Whoever takes it, and however it was given up, the next token is greater.
func TestTokensGrow(t *testing.T) {
	simulations.InBubble(t, func(t *testing.T, connect func() redis.UniversalClient) {
		a, b := fenced.New(connect(), "order"), fenced.New(connect(), "order")
		require.Zero(t, a.FencingToken(), "before the first acquisition")
		for n := range int64(3) {
			take(t, a)
			require.Equal(t, 2*n+1, a.FencingToken())
			taken, err := b.TryLock(t.Context(), ttl)
			require.NoError(t, err)
			require.False(t, taken)
			require.Zero(t, b.FencingToken(), "who is refused gets no token")
			require.NoError(t, a.Unlock(t.Context()))
			require.NoError(t, b.Lock(t.Context(), ttl))
			require.Equal(t, 2*n+2, b.FencingToken())
			require.Equal(t, 2*n+1, a.FencingToken(), "it stays what it was: a late write must be refused")
			require.NoError(t, b.Unlock(t.Context()))
		}
	})
}

// After a lost reply the next try finds the acquisition that was made, and its token.
func TestALostReplyCostsNoToken(t *testing.T) {
	simulations.InBubble(t, func(t *testing.T, connect func() redis.UniversalClient) {
		client := connect()
		wire := simulations.NewWire(t, client)
		a, b := fenced.New(client, "order"), fenced.New(connect(), "order")
		wire.LoseReply()
		_, err := a.TryLock(t.Context(), ttl)
		require.ErrorIs(t, err, simulations.ErrCut)
		take(t, a)
		require.EqualValues(t, 1, a.FencingToken())
		require.NoError(t, a.Unlock(t.Context()))

		wire.LoseReply() // and then the lease ends, and another comes
		_, err = a.TryLock(t.Context(), ttl)
		require.ErrorIs(t, err, simulations.ErrCut)
		time.Sleep(ttl + time.Millisecond)
		take(t, b)
		require.EqualValues(t, 3, b.FencingToken())
		require.NoError(t, b.Unlock(t.Context()))
		take(t, a)
		require.EqualValues(t, 4, a.FencingToken())
		require.NoError(t, a.Unlock(t.Context()))
	})
}

// The counter outlives every lease: a token that is given out twice protects nothing.
func TestTheCounterStays(t *testing.T) {
	simulations.InBubble(t, func(t *testing.T, connect func() redis.UniversalClient) {
		client := connect()
		a := fenced.New(client, "order")
		take(t, a)
		require.NoError(t, a.Unlock(t.Context()))
		time.Sleep(time.Hour)
		take(t, a)
		require.EqualValues(t, 2, a.FencingToken())
		require.Equal(t, time.Duration(-1), client.PTTL(t.Context(), "lock:{order}:fence").Val(), "it never ends")
		require.NoError(t, a.Unlock(t.Context()))
	})
}

// Above 2^53 Lua takes two numbers for one, and two holders would have one token.
func TestACounterThatIsOfNoUse(t *testing.T) {
	simulations.InBubble(t, func(t *testing.T, connect func() redis.UniversalClient) {
		client := connect()
		for counter, says := range map[any]string{1<<53 - 1: "2^53", time.Now().UnixNano(): "2^53", "seven": "integer"} {
			require.NoError(t, client.Set(t.Context(), "lock:{order}:fence", counter, 0).Err())
			taken, err := fenced.New(client, "order").TryLock(t.Context(), ttl)
			require.ErrorContains(t, err, says, counter)
			require.False(t, taken)
			require.Zero(t, client.Exists(t.Context(), "lock:{order}").Val(), "nothing is taken")
		}
	})
}

func take(t *testing.T, l *fenced.Lock) {
	t.Helper()
	taken, err := l.TryLock(t.Context(), ttl)
	require.NoError(t, err)
	require.True(t, taken)
}
