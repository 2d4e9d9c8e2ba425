package renewal_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"redislocklab/simulations"
	renewal "redislocklab/stage5_renewal"
)

// holder has the lock, a wire under it, and the scripts loaded, so that a renewal is
// one command.
func holder(t *testing.T, connect func() redis.UniversalClient) (*renewal.Lock, *simulations.Wire) {
	client := connect()
	l := renewal.New(client, "order")
	take(t, l, ttl)
	time.Sleep(ttl/3 + time.Millisecond)
	require.NoError(t, l.Unlock(t.Context()))
	wire := simulations.NewWire(t, client)
	take(t, l, ttl)
	return l, wire
}

func TestRenewalEveryThird(t *testing.T) {
	simulations.InBubble(t, func(t *testing.T, connect func() redis.UniversalClient) {
		l, wire := holder(t, connect)
		look := connect()
		time.Sleep(time.Millisecond)
		for n := range 10 {
			require.Equal(t, 1+n, wire.Sent(), "the SET, and a renewal every third")
			if n > 0 {
				left := look.PTTL(t.Context(), lockKey).Val()
				require.GreaterOrEqual(t, left, ttl-2*time.Millisecond)
				require.LessOrEqual(t, left, ttl)
			}
			time.Sleep(ttl / 3)
		}
		require.NoError(t, l.Unlock(t.Context()))
	})
}

// One renewal is lost, or only its reply; the next one repairs it.
func TestRenewalThatFailsOnceIsRepaired(t *testing.T) {
	for _, fail := range []func(*simulations.Wire){(*simulations.Wire).Cut, (*simulations.Wire).LoseReply} {
		simulations.InBubble(t, func(t *testing.T, connect func() redis.UniversalClient) {
			l, wire := holder(t, connect)
			fail(wire)
			time.Sleep(ttl/3 + time.Millisecond)
			wire.Mend()
			time.Sleep(5 * ttl)
			require.NoError(t, l.Context().Err())
			require.NoError(t, l.Unlock(t.Context()))
		})
	}
}

// The lease counts from before its command was sent, with a hundredth to spare.
func TestLossIsToldWhenTheGrantedLeaseIsOver(t *testing.T) {
	simulations.InBubble(t, func(t *testing.T, connect func() redis.UniversalClient) {
		l, wire := holder(t, connect)
		granted := time.Now()
		wire.Cut()
		lease := l.Context()
		<-lease.Done()
		require.Equal(t, ttl-ttl/100, time.Since(granted))
		require.ErrorIs(t, context.Cause(lease), renewal.ErrLost)
		err := l.Unlock(t.Context())
		require.ErrorIs(t, err, renewal.ErrLost)
		require.ErrorIs(t, err, simulations.ErrCut)
		wire.Mend()
		require.Equal(t, renewal.ErrLost, l.Unlock(t.Context()), "given back, but it had been lost")
	})
}

// The reply to a renewal is slow: the lease counts from before the request all the same.
func TestRenewalCountsFromItsRequest(t *testing.T) {
	simulations.InBubble(t, func(t *testing.T, connect func() redis.UniversalClient) {
		l, wire := holder(t, connect)
		lease := l.Context()
		stop := wire.HoldReply()
		<-stop.Reached
		sent := time.Now()
		time.Sleep(ttl / 2)
		wire.Cut()
		stop.Go()
		<-lease.Done()
		require.Equal(t, ttl-ttl/100, time.Since(sent))
		_ = l.Unlock(t.Context())
		wire.Mend()
		_ = l.Unlock(t.Context())
	})
}

// Redis counts whole milliseconds, and so must the holder.
func TestPartOfAMillisecondDoesNotCount(t *testing.T) {
	simulations.InBubble(t, func(t *testing.T, connect func() redis.UniversalClient) {
		client := connect()
		l, wire := renewal.New(client, "order"), simulations.NewWire(t, client)
		granted := time.Now()
		take(t, l, 10*time.Millisecond+900*time.Microsecond)
		wire.Cut()
		<-l.Context().Done()
		require.Equal(t, 10*time.Millisecond-100*time.Microsecond, time.Since(granted))
		wire.Mend()
		_ = l.Unlock(t.Context())
	})
}

// Redis has renewed, but says so when the lease that it knew of is over: the holder has
// been told, and that stands.
func TestAnswerThatComesTooLateDoesNotRevive(t *testing.T) {
	simulations.InBubble(t, func(t *testing.T, connect func() redis.UniversalClient) {
		l, wire := holder(t, connect)
		lease := l.Context()
		stop := wire.HoldReply()
		<-stop.Reached
		<-lease.Done()
		stop.Go()
		synctest.Wait()
		require.ErrorIs(t, context.Cause(l.Context()), renewal.ErrLost)
		sent := wire.Sent()
		time.Sleep(ttl)
		require.Equal(t, sent, wire.Sent(), "what is lost is not renewed")
		require.ErrorIs(t, l.Unlock(t.Context()), renewal.ErrLost)
	})
}

// A renewal that hangs for longer than a third, but not as long as the lease.
func TestSlowRenewalIsEnough(t *testing.T) {
	simulations.InBubble(t, func(t *testing.T, connect func() redis.UniversalClient) {
		l, wire := holder(t, connect)
		stop := wire.HoldReply()
		<-stop.Reached
		time.Sleep(ttl / 2)
		stop.Go()
		time.Sleep(3 * ttl)
		require.NoError(t, l.Context().Err())
		require.NoError(t, l.Unlock(t.Context()))
	})
}

// The reply to the SET took most of the lease. What is left is enough for a renewal, if
// that is sent a third after the SET and not a third after its reply.
func TestSlowReplyLeavesTimeToRenew(t *testing.T) {
	simulations.InBubble(t, func(t *testing.T, connect func() redis.UniversalClient) {
		client := connect()
		wire, l := simulations.NewWire(t, client), renewal.New(client, "order")
		stop := wire.HoldReply()
		time.AfterFunc(ttl*3/4, stop.Go)
		take(t, l, ttl)
		time.Sleep(2 * ttl)
		require.NoError(t, l.Context().Err(), "Redis could be reached all the time")
		require.NoError(t, l.Unlock(t.Context()))
	})
}

// deadlines remembers until when each command may run.
type deadlines struct {
	mu  sync.Mutex
	all []time.Time
}

func (d *deadlines) DialHook(next redis.DialHook) redis.DialHook { return next }
func (d *deadlines) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}
func (d *deadlines) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		until, _ := ctx.Deadline()
		d.mu.Lock()
		d.all = append(d.all, until)
		d.mu.Unlock()
		return next(ctx, cmd)
	}
}

// A renewal may not run longer than the lease that was granted before it.
func TestRenewalIsBoundedByTheLeaseGrantedLast(t *testing.T) {
	simulations.InBubble(t, func(t *testing.T, connect func() redis.UniversalClient) {
		client, d := connect(), &deadlines{}
		l := renewal.New(client, "order")
		granted := time.Now()
		take(t, l, ttl)
		client.AddHook(d)
		time.Sleep(ttl/3 + time.Millisecond) // EVALSHA, and EVAL: the script was not known
		time.Sleep(ttl / 3)
		require.NoError(t, l.Unlock(t.Context()))
		first := granted.Add(ttl - ttl/100)
		require.GreaterOrEqual(t, len(d.all), 3)
		require.WithinDuration(t, first, d.all[0], time.Microsecond)
		require.WithinDuration(t, first, d.all[1], time.Microsecond)
		require.WithinDuration(t, first.Add(ttl/3), d.all[2], time.Microsecond)
	})
}

// Otherwise a late renewal could arrive after the release.
func TestUnlockWaitsForTheRenewal(t *testing.T) {
	simulations.InBubble(t, func(t *testing.T, connect func() redis.UniversalClient) {
		l, wire := holder(t, connect)
		lease := l.Context()
		stop := wire.Hold()
		<-stop.Reached
		sent := wire.Sent()
		done := make(chan error, 1)
		go func() { done <- l.Unlock(context.Background()) }()
		synctest.Wait()
		require.ErrorIs(t, context.Cause(lease), renewal.ErrNotHeld, "the work has to end at once")
		require.Equal(t, sent, wire.Sent(), "the release waits")
		stop.Go()
		require.NoError(t, <-done)
		require.Zero(t, connect().Exists(t.Context(), lockKey).Val())
	})
}
