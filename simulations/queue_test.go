package simulations_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"redislocklab/simulations"
)

// The waiting of stages 4 and 5 is letter for letter the same, and so are its tests.

const (
	lease   = time.Second
	lockKey = "lock:{order}"
	queue   = "lock:{order}:waiters"
)

// queued is a lock that one can wait for.
type queued interface {
	simulations.Locker
	Lock(ctx context.Context, ttl time.Duration) error
}

func newQueued(stage simulations.Subject, client redis.UniversalClient) queued {
	return stage.New(client, "order").(queued)
}

// queueTest is a Redis and the lock of one stage.
type queueTest struct {
	stage   simulations.Subject
	connect func() redis.UniversalClient
}

func inBothStages(t *testing.T, test func(t *testing.T, q queueTest)) {
	for _, stage := range simulations.Stages()[3:] {
		t.Run(stage.Name, func(t *testing.T) {
			simulations.InBubble(t, func(t *testing.T, connect func() redis.UniversalClient) {
				test(t, queueTest{stage, connect})
			})
		})
	}
}

func (q queueTest) lock(client redis.UniversalClient) queued { return newQueued(q.stage, client) }

// waiter is a process that waits for the lock.
type waiter struct {
	queued
	wire   *simulations.Wire
	cancel context.CancelFunc
	done   chan error
}

// stand has a process stand in line, behind those who do so already.
func (q queueTest) stand(t *testing.T, ttl time.Duration) *waiter {
	client := q.connect()
	ctx, cancel := context.WithCancel(t.Context())
	w := &waiter{q.lock(client), simulations.NewWire(t, client), cancel, make(chan error, 1)}
	go func() { w.done <- w.Lock(ctx, ttl) }()
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

func take(t *testing.T, l simulations.Locker, ttl time.Duration) {
	t.Helper()
	taken, err := l.TryLock(t.Context(), ttl)
	require.NoError(t, err)
	require.True(t, taken)
}

func TestWaitersAreWokenInOrder(t *testing.T) {
	inBothStages(t, func(t *testing.T, q queueTest) {
		holder := q.lock(q.connect())
		take(t, holder, lease)
		first, second, third := q.stand(t, lease), q.stand(t, lease), q.stand(t, lease)
		require.NoError(t, holder.Unlock(t.Context()))
		for _, w := range []*waiter{first, second, third} {
			require.True(t, has(t, w))
			require.NoError(t, w.Unlock(t.Context()))
		}
	})
}

func TestQueueEndsByItselfAndWithItsLastWaiter(t *testing.T) {
	inBothStages(t, func(t *testing.T, q queueTest) {
		client := q.connect()
		holder := q.lock(q.connect())
		take(t, holder, lease)
		first, second := q.stand(t, lease), q.stand(t, lease)
		require.EqualValues(t, 2, client.LLen(t.Context(), queue).Val())
		require.Positive(t, client.PTTL(t.Context(), queue).Val())
		require.LessOrEqual(t, client.PTTL(t.Context(), queue).Val(), 2*lease)
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
	inBothStages(t, func(t *testing.T, q queueTest) {
		holder := q.lock(q.connect())
		take(t, holder, lease)
		require.NoError(t, q.connect().RPush(t.Context(), queue, "dead", "dead too").Err())
		next := q.stand(t, lease)
		require.NoError(t, holder.Unlock(t.Context()))
		require.True(t, has(t, next))
		require.NoError(t, next.Unlock(t.Context()))
	})
}

// The one who was woken stands still. The others come back when the lease that they
// knew of is over, and it has no more than its place in the line.
func TestAWokenWaiterThatStandsStillStopsNobody(t *testing.T) {
	inBothStages(t, func(t *testing.T, q queueTest) {
		holder := q.lock(q.connect())
		take(t, holder, lease)
		slow, next := q.stand(t, lease), q.stand(t, lease)
		pause := slow.wire.Hold()
		require.NoError(t, holder.Unlock(t.Context()))
		<-pause.Reached
		require.False(t, has(t, next))
		time.Sleep(lease + lease/20) // the lease, and a moment
		require.True(t, has(t, next))
		require.Zero(t, q.connect().Exists(t.Context(), queue).Val(), "who has the lock stands in no line")
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
		inBothStages(t, func(t *testing.T, q queueTest) {
			holder := q.lock(q.connect())
			take(t, holder, lease)
			first, next := q.stand(t, lease), q.stand(t, lease)
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
		inBothStages(t, func(t *testing.T, q queueTest) {
			holder := q.lock(q.connect())
			take(t, holder, lease)
			first, next := q.stand(t, lease), q.stand(t, lease)
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
	inBothStages(t, func(t *testing.T, q queueTest) {
		holder, newcomer := q.lock(q.connect()), q.lock(q.connect())
		take(t, holder, lease)
		w := q.stand(t, lease)
		pause := w.wire.Hold()
		require.NoError(t, holder.Unlock(t.Context()))
		<-pause.Reached
		take(t, newcomer, lease)
		pause.Go()
		require.False(t, has(t, w))
		require.NoError(t, newcomer.Unlock(t.Context()))
		require.True(t, has(t, w))
		require.NoError(t, w.Unlock(t.Context()))
	})
}
