package articles

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"redislocklab/simulations"
)

// Article 3 describes the value as the time at which the lock ends. It is the request
// id; when the lock ends is known to Redis alone.
func TestValueIsTheRequestIDNotADeadline(t *testing.T) {
	inBubble(t, func(b bubble) {
		p := b.process()
		require.True(b, b.take(&try{p.listing(), "request 17"}))
		require.Equal(b, "request 17", b.value())
		require.Equal(b, lease, b.left(p))
	})
}

// Article 3, block-forever. The lock is never released, the caller gave up after a
// second, and ten minutes and 6,000 tries later the wait goes on.
func TestBlockForeverCannotBeCancelled(t *testing.T) {
	inBubble(t, func(b bubble) {
		p := b.process()
		require.NoError(b, b.redis.Set(order, "somebody's"))
		ctx, cancel := context.WithTimeout(b.Context(), time.Second)
		defer cancel()
		done := make(chan error, 1)
		go func() { done <- (&blockForever{try{p.listing(), "mine"}}).Lock(ctx, lease) }()

		time.Sleep(10*time.Minute + pause/2)
		require.Error(b, ctx.Err())
		require.Empty(b, done, "it still waits")

		b.redis.Del(order) // nothing else ends it
		require.NoError(b, <-done)
		require.Len(b, p.sent, 6_000+2)
	})
}

// Article 3, both that wait. All sleep equally long: who came together asks together,
// for ever, and the cost of a wait grows with the number of those who wait.
func TestFixedSleepKeepsWaitersInStep(t *testing.T) {
	const waiters = 5
	inBubble(t, func(b bubble) {
		require.NoError(b, b.redis.Set(order, "somebody's"))
		ctx, cancel := context.WithTimeout(b.Context(), time.Second)
		defer cancel()
		var all []*process
		var waiting sync.WaitGroup
		for range waiters {
			p := b.process()
			all = append(all, p)
			waiting.Go(func() { _ = (&blockBudget{try{p.listing(), "mine"}}).Lock(ctx, lease) })
		}
		waiting.Wait()
		asked := map[time.Time]int{}
		for _, p := range all {
			for _, at := range p.at {
				asked[at]++
			}
		}
		require.Len(b, asked, 11, "instants at which anybody asked")
		for at, together := range asked {
			require.Equal(b, waiters, together, "at %v", at)
		}
	})
}

// Article 3, block-budget. Only the sleeps are paid for: with a budget of a second,
// and calls that take half of one, eleven calls and eleven sleeps take 6.6 seconds.
func TestBlockBudgetOverrunsItsBudget(t *testing.T) {
	report := simulations.Play(t, simulations.Scenario{
		Name:  "a slow network",
		About: simulations.BoundedWait,
		Waits: true,
		Story: func(w *simulations.World) {
			w.A.TryLock(lease)
			w.B.SlowDown(250 * time.Millisecond) // each way
			w.B.Lock(lease, time.Second)
			w.Advance(9 * time.Second)
		},
	}, find(t, "article3/block-budget"))
	require.Equal(t, simulations.Broken, report.Verdict)
	require.Equal(t, "B waited 6.6s, its budget was 1s", report.Violation.Text)
	require.Equal(t, 6600*time.Millisecond, event(t, report.Trace, "B", "Lock: gave up").At)
}

// Article 3, block-budget. On a network that costs nothing: ten sleeps fit into the
// budget, and there are eleven, the last of them with no try after it.
func TestBlockBudgetTriesOnceTooOften(t *testing.T) {
	inBubble(t, func(b bubble) {
		p := b.process()
		require.NoError(b, b.redis.Set(order, "somebody's"))
		ctx, cancel := context.WithTimeout(b.Context(), time.Second)
		defer cancel()
		since := time.Now()
		err := (&blockBudget{try{p.listing(), "mine"}}).Lock(ctx, lease)
		require.ErrorIs(b, err, context.DeadlineExceeded)
		require.Equal(b, time.Second+pause, time.Since(since))
		require.Len(b, p.sent, 11)
		require.Equal(b, pause, time.Since(p.at[10]), "after the last try")
	})
}

// Article 3 tells why a plain DEL will not do: A overran, and B, who is quick, deletes
// A's lock. Played as told, B deletes its own. It is A, coming late, who deletes B's.
func TestStoryOfUnlockIsTheWrongWayRound(t *testing.T) {
	overrun := func(w *simulations.World) {
		w.A.TryLock(lease)
		w.Advance(lease + time.Second)
		w.B.TryLock(lease)
		w.Advance(time.Second)
	}
	asTold := simulations.Play(t, simulations.Scenario{
		Name:  "B is quick",
		About: simulations.OwnerOnly,
		Story: func(w *simulations.World) { overrun(w); w.B.Unlock(); w.A.Unlock() },
	}, find(t, "article1/simple"))
	require.Equal(t, simulations.Holds, asTold.Verdict)
	event(t, asTold.Trace, "B", "DEL -> 1") // its own
	event(t, asTold.Trace, "A", "DEL -> 0") // nothing was there any more

	asItIs := simulations.Play(t, simulations.Scenario{
		Name:  "A is late",
		About: simulations.OwnerOnly,
		Story: func(w *simulations.World) { overrun(w); w.A.Unlock() },
	}, find(t, "article1/simple"))
	require.Equal(t, simulations.Broken, asItIs.Verdict)
	require.Equal(t, "A deleted the lock that B holds", asItIs.Violation.Text)
}

// Article 3. The caller brings the request id, and nobody checks that it is unique.
func TestRequestIDIsTrustedToBeUnique(t *testing.T) {
	inBubble(t, func(b bubble) {
		first := &try{b.process().listing(), "request 17"}
		second := &try{b.process().listing(), "request 17"}
		require.True(b, b.take(first))
		time.Sleep(lease + moment)
		require.True(b, b.take(second))
		require.NoError(b, first.Unlock(b.Context()))
		require.Empty(b, b.value(), "the second one's lock is gone")
	})
}

// Article 3. A client of a third kind takes the lock and cannot give it back. The
// answer is the one for a lock that is not held, and nothing was sent.
func TestUnknownClientLeavesTheLock(t *testing.T) {
	inBubble(t, func(b bubble) {
		p := b.process()
		third := struct{ redis.UniversalClient }{p.Client}
		lock := &try{listing{third, order}, "mine"}
		require.True(b, b.take(lock))
		p.sent = nil
		require.ErrorIs(b, lock.Unlock(b.Context()), errNotHeld)
		require.Empty(b, p.sent)
		require.NotEmpty(b, b.value(), "the key is still there")
	})
}

// All three articles are silent about it: the lock was taken, the reply was lost. The
// key is nobody's then, and keeps everybody out for its whole lease. That of setnx-expire
// has no lease yet, and keeps everybody out for ever.
func TestLostReplyLeavesNobodysKey(t *testing.T) {
	for _, subject := range Subjects() {
		t.Run(subject.Name, func(t *testing.T) {
			inBubble(t, func(b bubble) {
				unlucky, other := b.process(), b.process()
				unlucky.fail = func(string) (before, after error) { return nil, errNoReply }
				_, err := subject.New(unlucky.Client, "order").TryLock(b.Context(), lease)
				require.ErrorIs(b, err, errNoReply)

				lock := subject.New(other.Client, "order")
				time.Sleep(lease - moment)
				require.False(b, b.take(lock))
				if subject.Name == "article2/setnx-expire" {
					time.Sleep(forLong)
					require.Equal(b, noLease, b.left(other))
					require.False(b, b.take(lock))
					return
				}
				time.Sleep(2 * moment)
				require.True(b, b.take(lock))
			})
		})
	}
}
