package simulations

import (
	"os"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"
)

// On a real connection what Redis sends is buffered. Who subscribes and does not listen
// must not stop everybody else here either.
func TestNobodyHasToReadWhatRedisSends(t *testing.T) {
	InBubble(t, func(t *testing.T, connect func() redis.UniversalClient) {
		wake := connect().Subscribe(t.Context(), "news")
		defer wake.Close()
		client := connect()
		for range 10 {
			time.Sleep(time.Millisecond)
			require.EqualValues(t, 1, client.Publish(t.Context(), "news", "heard").Val())
		}
		messages := wake.Channel()
		for range 10 {
			require.Equal(t, "heard", (<-messages).Payload)
		}
	})
}

func TestAReadEndsAtItsDeadline(t *testing.T) {
	InBubble(t, func(t *testing.T, connect func() redis.UniversalClient) {
		wake := connect().Subscribe(t.Context(), "news")
		defer wake.Close()
		_, err := wake.Receive(t.Context()) // that it has subscribed
		require.NoError(t, err)
		since := time.Now()
		_, err = wake.ReceiveTimeout(t.Context(), time.Second)
		require.ErrorIs(t, err, os.ErrDeadlineExceeded)
		require.Equal(t, time.Second, time.Since(since))
	})
}
