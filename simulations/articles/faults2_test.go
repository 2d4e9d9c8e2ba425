package articles

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"redislocklab/simulations"
)

// Article 2, way 1. The process dies between SETNX and EXPIRE. The article expects a
// lock that ends too early; it is still there after a year.
func TestSetnxWithoutExpireNeverEnds(t *testing.T) {
	inBubble(t, func(b bubble) {
		dying, other := b.process(), b.process()
		dying.fail = func(command string) (before, after error) {
			if command == "expire" {
				return errCrash, nil
			}
			return nil, nil
		}
		_, err := (&setnxExpire{dying.listing()}).TryLock(b.Context(), lease)
		require.ErrorIs(b, err, errCrash)
		require.Equal(b, noLease, b.left(other))
		time.Sleep(forLong)
		require.False(b, b.take(&setnxExpire{other.listing()}))
	})
}

// Article 2, way 1. Somebody who never had the lock releases it: the value is
// compared with itself.
func TestSelfCompareReleasesAStranger(t *testing.T) {
	inBubble(t, func(b bubble) {
		holder, stranger := b.process(), b.process()
		require.True(b, b.take(&setnxExpire{holder.listing()}))
		require.NoError(b, (&setnxExpire{stranger.listing()}).Unlock(b.Context()))
		require.Equal(b, []string{"get", "get", "del"}, stranger.sent)
		require.Empty(b, b.value())
	})
}

// Article 2, way 1. A release that compares with its own value, as that of article 1,
// part 2 does, is still GET and then DEL: the lock changes hands between the two.
func TestRightComparisonLeavesTheGapBeforeDEL(t *testing.T) {
	report := simulations.Play(t, race(t, "gc-pause"), find(t, "article1/owner"))
	require.Equal(t, "A", event(t, report.Trace, "A", "GET -> A's").Owner, "the comparison was right")
	require.Equal(t, simulations.Broken, report.Verdict)
	require.Equal(t, "-", event(t, report.Trace, "A", "DEL -> 1").Owner)
	require.Equal(t, "A deleted the lock that B holds", report.Violation.Text)
}

// Article 2, way 3. The script compares, and everybody has the same token: A's late
// release deletes B's lock, and A is told that all is well.
func TestConstantTokenReleasesAStranger(t *testing.T) {
	report := simulations.Play(t, race(t, "misdelete"), find(t, "article2/lua-acquire"))
	require.Equal(t, simulations.Broken, report.Verdict)
	require.Equal(t, "-", event(t, report.Trace, "A", "unlock.lua -> 1").Owner)

	unique := subject("lua-acquire with a token for each holder", func(l listing) simulations.Locker {
		return &luaAcquire{l, newProcess()}
	})
	require.Equal(t, simulations.Holds, simulations.Play(t, race(t, "misdelete"), unique).Verdict)
}

// Article 2, the table, calls SETNX not atomic, and slower than a script. That is so of
// SETNX and EXPIRE, which are two commands and two journeys. SET with NX and EX is one
// of each, as the script is, and less to send.
func TestSetNXEXIsOneCommand(t *testing.T) {
	const journey = 5 * time.Millisecond // each way
	cost := func(name string) (commands []string, took time.Duration, bytes int) {
		inBubble(t, func(b bubble) {
			p := b.process()
			p.delay = journey
			lock := find(t, name).New(p.Client, "order")
			since := time.Now()
			require.True(b, b.take(lock))
			commands, took, bytes = p.sent, time.Since(since), p.bytes
		})
		return commands, took, bytes
	}

	commands, took, _ := cost("article2/setnx-expire")
	require.Equal(t, []string{"setnx", "expire"}, commands)
	require.Equal(t, 4*journey, took)

	commands, took, script := cost("article2/lua-acquire")
	require.Equal(t, []string{"eval"}, commands)
	require.Equal(t, 2*journey, took)

	commands, took, plain := cost("article3/try")
	require.Equal(t, []string{"set"}, commands)
	require.Equal(t, 2*journey, took)
	require.Greater(t, script, 3*plain, "bytes sent: the text of the script goes along each time")
}

// Article 2 says that renewal spares a deadlock when a lease ends early. A lease that
// ends keeps nobody out: the one who waits gets in at once, and then there are two.
func TestLeaseThatEndsEarlyIsNoDeadlock(t *testing.T) {
	story := func(about simulations.Invariant) simulations.Scenario {
		return simulations.Scenario{
			Name:  "a lease that ends early",
			About: about,
			Story: func(w *simulations.World) {
				w.A.TryLock(lease)
				w.Advance(time.Second)
				w.B.Lock(lease, time.Minute)
				w.Advance(lease)
				w.MustOwn(w.B)
			},
		}
	}
	lock := find(t, "article3/block-budget")
	require.Equal(t, simulations.Holds, simulations.Play(t, story(simulations.BoundedWait), lock).Verdict)

	report := simulations.Play(t, story(simulations.Exclusion), lock)
	require.Equal(t, simulations.Broken, report.Verdict)
	require.Equal(t, "A and B are inside at once", report.Violation.Text)
}
