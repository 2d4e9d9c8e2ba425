package blocking_test

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
	blocking "redislocklab/stage4_blocking"
)

const (
	ttl     = time.Second
	lockKey = "lock:{order}"
	queue   = "lock:{order}:waiters"
)

// waiter is a process that waits for the lock.
type waiter struct {
	*blocking.Lock
	wire   *simulations.Wire
	cancel context.CancelFunc
	done   chan error
}

// stand has a process stand in line, behind those who do so already.
func stand(t *testing.T, connect func() redis.UniversalClient, ttl time.Duration) *waiter {
	client := connect()
	ctx, cancel := context.WithCancel(t.Context())
	w := &waiter{blocking.New(client, "order"), simulations.NewWire(t, client), cancel, make(chan error, 1)}
	go func() { w.done <- w.Lock.Lock(ctx, ttl) }()
	synctest.Wait()
	return w
}

// has tells whether the waiter has the lock at this very instant.
func has(t *testing.T, w *waiter) bool {
	t.Helper()
	synctest.Wait()
	select {
	case err := <-w.done:
		require.NoError(t, err)
		return true
	default:
		return false
	}
}

func TestWaitersAreWokenInOrder(t *testing.T) {
	simulations.InBubble(t, func(t *testing.T, connect func() redis.UniversalClient) {
		holder := blocking.New(connect(), "order")
		take(t, holder, ttl)
		first, second, third := stand(t, connect, ttl), stand(t, connect, ttl), stand(t, connect, ttl)
		require.NoError(t, holder.Unlock(t.Context()))
		for _, w := range []*waiter{first, second, third} {
			require.True(t, has(t, w))
			require.NoError(t, w.Unlock(t.Context()))
		}
	})
}

func TestQueueEndsByItselfAndWithItsLastWaiter(t *testing.T) {
	simulations.InBubble(t, func(t *testing.T, connect func() redis.UniversalClient) {
		client := connect()
		holder := blocking.New(connect(), "order")
		take(t, holder, ttl)
		first, second := stand(t, connect, ttl), stand(t, connect, ttl)
		require.EqualValues(t, 2, client.LLen(t.Context(), queue).Val())
		require.Positive(t, client.PTTL(t.Context(), queue).Val())
		require.LessOrEqual(t, client.PTTL(t.Context(), queue).Val(), 2*ttl)
		first.cancel()
		synctest.Wait()
		require.EqualValues(t, 1, client.LLen(t.Context(), queue).Val())
		require.NoError(t, holder.Unlock(t.Context()))
		require.True(t, has(t, second))
		require.Zero(t, client.Exists(t.Context(), queue).Val())
		require.NoError(t, second.Unlock(t.Context()))
	})
}

// Nobody listens where the first in line did.
func TestWakeUpOfADeadWaiterGoesToTheNext(t *testing.T) {
	simulations.InBubble(t, func(t *testing.T, connect func() redis.UniversalClient) {
		holder := blocking.New(connect(), "order")
		take(t, holder, ttl)
		require.NoError(t, connect().RPush(t.Context(), queue, "dead", "dead too").Err())
		next := stand(t, connect, ttl)
		require.NoError(t, holder.Unlock(t.Context()))
		require.True(t, has(t, next))
		require.NoError(t, next.Unlock(t.Context()))
	})
}

// The one who was woken stands still. The others come back when the lease that they
// knew of is over, and it has no more than its place in the line.
func TestAWokenWaiterThatStandsStillStopsNobody(t *testing.T) {
	simulations.InBubble(t, func(t *testing.T, connect func() redis.UniversalClient) {
		holder := blocking.New(connect(), "order")
		take(t, holder, ttl)
		slow, next := stand(t, connect, ttl), stand(t, connect, ttl)
		pause := slow.wire.Hold()
		require.NoError(t, holder.Unlock(t.Context()))
		<-pause.Reached
		require.False(t, has(t, next))
		time.Sleep(ttl + ttl/20) // the lease, and a moment
		require.True(t, has(t, next))
		require.Zero(t, connect().Exists(t.Context(), queue).Val(), "who has the lock stands in no line")
		pause.Go()
		require.False(t, has(t, slow))
		require.NoError(t, next.Unlock(t.Context()))
		require.True(t, has(t, slow))
		require.NoError(t, slow.Unlock(t.Context()))
	})
}

func TestAWaiterCancelledWhenWokenPassesItOn(t *testing.T) {
	holds := []func(*simulations.Wire) *simulations.Stop{
		(*simulations.Wire).Hold,      // it was woken, and has not asked yet
		(*simulations.Wire).HoldReply, // it has the lock, and does not know yet
	}
	for _, hold := range holds {
		simulations.InBubble(t, func(t *testing.T, connect func() redis.UniversalClient) {
			holder := blocking.New(connect(), "order")
			take(t, holder, ttl)
			first, next := stand(t, connect, ttl), stand(t, connect, ttl)
			pause := hold(first.wire)
			require.NoError(t, holder.Unlock(t.Context()))
			<-pause.Reached
			first.cancel()
			require.ErrorIs(t, <-first.done, context.Canceled)
			require.False(t, has(t, next))
			pause.Go()
			require.True(t, has(t, next))
			require.NoError(t, next.Unlock(t.Context()))
		})
	}
}

// The release and the cancelling meet: whichever the first waiter sees first.
func TestAWaiterCancelledAtTheReleasePassesItOn(t *testing.T) {
	for range 50 {
		simulations.InBubble(t, func(t *testing.T, connect func() redis.UniversalClient) {
			holder := blocking.New(connect(), "order")
			take(t, holder, ttl)
			first, next := stand(t, connect, ttl), stand(t, connect, ttl)
			go first.cancel()
			require.NoError(t, holder.Unlock(t.Context()))
			synctest.Wait()
			if <-first.done == nil {
				require.NoError(t, first.Unlock(t.Context()))
			}
			require.True(t, has(t, next))
			require.NoError(t, next.Unlock(t.Context()))
		})
	}
}

// A newcomer is faster than the one who was woken, who waits again.
func TestANewcomerComesBetween(t *testing.T) {
	simulations.InBubble(t, func(t *testing.T, connect func() redis.UniversalClient) {
		holder, newcomer := blocking.New(connect(), "order"), blocking.New(connect(), "order")
		take(t, holder, ttl)
		w := stand(t, connect, ttl)
		pause := w.wire.Hold()
		require.NoError(t, holder.Unlock(t.Context()))
		<-pause.Reached
		take(t, newcomer, ttl)
		pause.Go()
		require.False(t, has(t, w))
		require.NoError(t, newcomer.Unlock(t.Context()))
		require.True(t, has(t, w))
		require.NoError(t, w.Unlock(t.Context()))
	})
}

// All come back when the dead holder's lease is over. One gets the lock, at once, and
// the others stand in line again.
func TestManyWaitersOfADeadHolder(t *testing.T) {
	simulations.InBubble(t, func(t *testing.T, connect func() redis.UniversalClient) {
		client := connect()
		take(t, blocking.New(client, "order"), ttl)
		simulations.NewWire(t, client).Cut()
		var waiters []*waiter
		for range 5 {
			waiters = append(waiters, stand(t, connect, ttl))
		}
		time.Sleep(ttl - time.Millisecond)
		for _, w := range waiters {
			require.False(t, has(t, w))
		}
		time.Sleep(ttl/20 + time.Millisecond)
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
	simulations.InBubble(t, func(t *testing.T, connect func() redis.UniversalClient) {
		holder := blocking.New(connect(), "order")
		take(t, holder, time.Minute)
		w := stand(t, connect, ttl)
		sent := w.wire.Sent()
		time.Sleep(59 * time.Second)
		require.Equal(t, sent+5, w.wire.Sent())
		require.EqualValues(t, 1, connect().LLen(t.Context(), queue).Val(), "it stands in line once")
		require.NoError(t, holder.Unlock(t.Context()))
		require.True(t, has(t, w))
		require.NoError(t, w.Unlock(t.Context()))
	})
}

// A dead holder's waiters come one after the other, in the order of the queue.
func TestWaitersOfADeadHolderComeInTurn(t *testing.T) {
	simulations.InBubble(t, func(t *testing.T, connect func() redis.UniversalClient) {
		client := connect()
		require.NoError(t, client.Set(t.Context(), lockKey, "of a dead holder", ttl).Err())
		first, second := stand(t, connect, ttl), stand(t, connect, ttl)
		asked := second.wire.Sent()
		time.Sleep(ttl + time.Millisecond)
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
	simulations.InBubble(t, func(t *testing.T, connect func() redis.UniversalClient) {
		holder := blocking.New(connect(), "order")
		take(t, holder, time.Minute)
		w := stand(t, connect, time.Minute)
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
	simulations.InBubble(t, func(t *testing.T, connect func() redis.UniversalClient) {
		client := connect()
		require.NoError(t, client.Set(t.Context(), lockKey, "theirs", 0).Err())
		w := stand(t, connect, ttl)
		sent := w.wire.Sent()
		time.Sleep(10 * ttl)
		require.False(t, has(t, w))
		require.LessOrEqual(t, w.wire.Sent(), sent+10, "once for each TTL")
		require.Equal(t, "theirs", client.Get(t.Context(), lockKey).Val())
		require.NoError(t, client.Del(t.Context(), lockKey).Err())
		require.NoError(t, <-w.done)
		require.NoError(t, w.Unlock(t.Context()))
	})
}

// Without the right to use the channels nobody is woken. A waiter then asks every tenth
// of its TTL, and a release neither fails nor loses the lock half-way.
func TestWithoutTheRightToThePubSubChannels(t *testing.T) {
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
		holder, w := blocking.New(client, "order"), blocking.New(client, "order")
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
		require.NoError(t, w.Lock(ctx, ttl))
		require.NoError(t, <-released)
		require.LessOrEqual(t, time.Since(began), 5*time.Second+ttl/10+time.Millisecond)
		require.NoError(t, w.Unlock(t.Context()))
	})
}
