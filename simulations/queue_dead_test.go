package simulations_test

import (
	"context"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/alicebob/miniredis/v2"
	redisserver "github.com/alicebob/miniredis/v2/server"
	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
	"github.com/stretchr/testify/require"

	"redislocklab/simulations"
)

// What a waiter does when nobody wakes it.

// All come back when the dead holder's lease is over. One gets the lock, at once, and
// the others stand in line again.
func TestManyWaitersOfADeadHolder(t *testing.T) {
	inBothStages(t, func(t *testing.T, q queueTest) {
		client := q.connect()
		take(t, q.lock(client), lease)
		simulations.NewWire(t, client).Cut()
		var waiters []*waiter
		for range 5 {
			waiters = append(waiters, q.stand(t, lease))
		}
		time.Sleep(lease - time.Millisecond)
		for _, w := range waiters {
			require.False(t, has(t, w))
		}
		time.Sleep(lease/20 + time.Millisecond)
		for range waiters {
			winners := 0
			for _, w := range waiters {
				if has(t, w) {
					winners++
					require.NoError(t, w.Unlock(t.Context()))
					break
				}
			}
			require.Equal(t, 1, winners)
		}
	})
}

// A waiter asks every ten seconds, in case a wake-up was lost, and not more often.
func TestWaitingIsQuiet(t *testing.T) {
	inBothStages(t, func(t *testing.T, q queueTest) {
		holder := q.lock(q.connect())
		take(t, holder, time.Minute)
		w := q.stand(t, lease)
		sent := w.wire.Sent()
		time.Sleep(59 * time.Second)
		require.Equal(t, sent+5, w.wire.Sent())
		require.EqualValues(t, 1, q.connect().LLen(t.Context(), queue).Val(), "it stands in line once")
		require.NoError(t, holder.Unlock(t.Context()))
		require.True(t, has(t, w))
		require.NoError(t, w.Unlock(t.Context()))
	})
}

// A dead holder's waiters come one after the other, in the order of the queue.
func TestWaitersOfADeadHolderComeInTurn(t *testing.T) {
	inBothStages(t, func(t *testing.T, q queueTest) {
		client := q.connect()
		require.NoError(t, client.Set(t.Context(), lockKey, "of a dead holder", lease).Err())
		first, second := q.stand(t, lease), q.stand(t, lease)
		asked := second.wire.Sent()
		time.Sleep(lease + time.Millisecond)
		require.True(t, has(t, first))
		require.Equal(t, asked, second.wire.Sent())
		time.Sleep(time.Millisecond)
		require.False(t, has(t, second))
		require.Equal(t, asked+1, second.wire.Sent())
		require.NoError(t, first.Unlock(t.Context()))
		require.True(t, has(t, second))
		require.NoError(t, second.Unlock(t.Context()))
	})
}

// Redis was away and came back: that is not why the wait ended.
func TestATroubleThatIsOverIsNotReported(t *testing.T) {
	inBothStages(t, func(t *testing.T, q queueTest) {
		holder := q.lock(q.connect())
		take(t, holder, time.Minute)
		w := q.stand(t, time.Minute)
		w.wire.Cut()
		time.Sleep(11 * time.Second) // it asks in vain
		w.wire.Mend()
		time.Sleep(time.Second) // and is answered
		w.cancel()
		err := <-w.done
		require.ErrorIs(t, err, context.Canceled)
		require.NotErrorIs(t, err, simulations.ErrCut)
		require.NoError(t, holder.Unlock(t.Context()))
	})
}

// Somebody else's key that never ends is asked for again, and no lock to be broken.
func TestAKeyWithoutALeaseIsWaitedFor(t *testing.T) {
	inBothStages(t, func(t *testing.T, q queueTest) {
		client := q.connect()
		require.NoError(t, client.Set(t.Context(), lockKey, "theirs", 0).Err())
		w := q.stand(t, lease)
		sent := w.wire.Sent()
		time.Sleep(10 * lease)
		require.False(t, has(t, w))
		require.LessOrEqual(t, w.wire.Sent(), sent+10, "once for each TTL")
		require.Equal(t, "theirs", client.Get(t.Context(), lockKey).Val())
		require.NoError(t, client.Del(t.Context(), lockKey).Err())
		require.NoError(t, <-w.done)
		require.NoError(t, w.Unlock(t.Context()))
	})
}

// A waiter with a short TTL comes and goes. The queue must live on for the one with the
// long TTL: the holder renews, so the release can be later than either had thought.
func TestAShortWaiterDoesNotShortenTheQueue(t *testing.T) {
	simulations.InBubble(t, func(t *testing.T, connect func() redis.UniversalClient) {
		q := queueTest{simulations.Stages()[4], connect}
		l := q.lock(q.connect())
		take(t, l, lease)
		for range 20 { // so that the patient one asks again 20ms after the lease, and not at once
			require.NoError(t, connect().RPush(t.Context(), queue, "dead").Err())
		}
		patient, hasty := q.stand(t, 60*lease), q.stand(t, 2*time.Millisecond)
		hasty.cancel()
		time.Sleep(lease + 10*time.Millisecond) // nobody has asked again
		require.NoError(t, l.Unlock(t.Context()))
		require.True(t, has(t, patient), "the release wakes who stands in line")
		require.NoError(t, patient.Unlock(t.Context()))
	})
}

// Without the right to use the channels nobody is woken. A waiter then asks every tenth
// of its TTL, and a release neither fails nor loses the lock half-way.
func TestWithoutTheRightToThePubSubChannels(t *testing.T) {
	for _, stage := range simulations.Stages()[3:] {
		synctest.Test(t, func(t *testing.T) {
			server := miniredis.NewMiniRedis()
			server.ClockTTL(true)
			defer server.Close()
			client := redis.NewClient(&redis.Options{
				Addr:                     "127.0.0.1:6379",
				Dialer:                   func(context.Context, string, string) (net.Conn, error) { return server.Dial() },
				MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
			})
			defer client.Close()
			holder, w := newQueued(stage, client), newQueued(stage, client)
			take(t, holder, time.Minute)
			server.Server().SetPreHook(func(c *redisserver.Peer, command string, _ ...string) bool {
				if command == "SUBSCRIBE" || command == "PUBLISH" {
					c.WriteError("NOPERM this user has no permissions to access one of the channels")
					return true
				}
				return false
			})
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			_, err := server.Push(queue, "a waiter that nobody can tell") // the release comes to its PUBLISH
			require.NoError(t, err)
			released := make(chan error, 1)
			time.AfterFunc(5*time.Second, func() { released <- holder.Unlock(context.Background()) })
			began := time.Now()
			require.NoError(t, w.Lock(ctx, lease))
			require.NoError(t, <-released)
			require.LessOrEqual(t, time.Since(began), 5*time.Second+lease/10+time.Millisecond)
			require.NoError(t, w.Unlock(t.Context()))
		})
	}
}
