package articles

import (
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"redislocklab/simulations"
)

// Article 1, part 1. Two processes, and each has a thread 1: the value is the same,
// and even a release that compares it takes one for the other.
func TestThreadIDAloneIsNoOwner(t *testing.T) {
	inBubble(t, func(b bubble) {
		first := &simple{b.process().listing(), mainThread}
		second := &simple{b.process().listing(), mainThread}
		require.True(b, b.take(first))
		value := b.value()
		time.Sleep(lease + moment)
		require.True(b, b.take(second))
		require.Equal(b, value, b.value(), "two holders, one name")
	})
	threadOnly := subject("owner without its process", func(l listing) simulations.Locker {
		return &owner{l, "", mainThread}
	})
	require.Equal(t, simulations.Broken, simulations.Play(t, race(t, "misdelete"), threadOnly).Verdict)
	require.Equal(t, simulations.Holds, simulations.Play(t, race(t, "misdelete"), find(t, "article1/owner")).Verdict)
}

// Article 1, parts 2 and 3. One thread takes the lock, overruns, and takes it again:
// both acquisitions have one value, and the release of the first ends the second.
func TestTokenPerThreadIsNotPerAcquisition(t *testing.T) {
	for name, lock := range map[string]func(owner) simulations.Locker{
		"owner": func(o owner) simulations.Locker { return &o },
		"lua":   func(o owner) simulations.Locker { return &lua{o} },
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(b bubble) {
				worker := owner{b.process().listing(), newProcess(), mainThread}
				first, second := lock(worker), lock(worker)
				require.True(b, b.take(first))
				time.Sleep(lease + moment)
				require.True(b, b.take(second))
				require.NoError(b, first.Unlock(b.Context()))
				require.Empty(b, b.value(), "the second acquisition is gone")
			})
		})
	}
}

// Article 1, part 2 lets exclusion fail when C comes in after A's DEL. It has failed
// by then: A and B work side by side a millisecond after the lease, without any DEL.
func TestExclusionEndsWithTheLeaseNotWithTheDelete(t *testing.T) {
	story := simulations.Scenario{
		Name:  "a millisecond after the lease",
		About: simulations.Exclusion,
		Story: func(w *simulations.World) {
			w.A.TryLock(lease)
			w.Advance(lease + moment)
			w.B.TryLock(lease)
		},
	}
	for _, listing := range []string{"article1/simple", "article1/owner"} {
		report := simulations.Play(t, story, find(t, listing))
		require.Equal(t, simulations.Broken, report.Verdict)
		require.Equal(t, lease+moment, report.Violation.At)
		for _, e := range report.Trace {
			require.NotContains(t, e.Text, "DEL")
		}
	}
}

// Article 1, part 3 calls the script the final form. The script refuses A's release,
// and A's write has landed before it, on top of B's.
func TestFinalFormDoesNotStopALateWrite(t *testing.T) {
	late := func(about simulations.Invariant) simulations.Report {
		return simulations.Play(t, simulations.Scenario{
			Name:  "a late write",
			About: about,
			Story: func(w *simulations.World) {
				w.A.TryLock(lease)
				w.A.PauseBefore("write")
				w.A.Write()
				w.LetLeaseEnd()
				w.B.TryLock(lease)
				w.B.Write()
				w.A.Resume()
				w.A.Unlock()
				w.MustOwn(w.B)
			},
		}, find(t, "article1/lua"))
	}
	release := late(simulations.OwnerOnly)
	require.Equal(t, simulations.Holds, release.Verdict)
	require.Equal(t, "B", event(t, release.Trace, "A", "write accepted").Owner)
	require.Equal(t, "B", event(t, release.Trace, "A", "unlock.lua -> 0").Owner)
	write := late(simulations.Fenced)
	require.Equal(t, simulations.Broken, write.Verdict)
	require.Contains(t, write.Violation.Text, "accepted A's write after that of a newer holder")
}

// Articles 1 and 2. A script runs without interruption, and it is no transaction: a
// lease that is no number stops it half-way, and the lock that it set stays for ever.
func TestScriptErrorIsNotRolledBack(t *testing.T) {
	inBubble(t, func(b bubble) {
		p := b.process()
		err := p.Eval(b.Context(), acquireSource, []string{order}, "mine", "ten").Err()
		require.ErrorContains(b, err, "not an integer")
		require.Equal(b, "mine", b.value())
		require.Equal(b, noLease, b.left(p))
	})
}

// Article 1, part 3. The script object is made, and Redis knows nothing of it. The
// first release sends it; after a restart or SCRIPT FLUSH it is unknown again.
func TestScriptObjectLoadsNothing(t *testing.T) {
	inBubble(t, func(b bubble) {
		p := b.process()
		known := func() bool {
			known, err := unlockScript.Exists(b.Context(), p).Result()
			require.NoError(b, err)
			return known[0]
		}
		require.False(b, known())
		err := unlockScript.EvalSha(b.Context(), p, []string{order}, "mine").Err()
		require.True(b, redis.HasErrorPrefix(err, "NOSCRIPT"), "got %v", err)

		lock := &lua{owner{p.listing(), newProcess(), mainThread}}
		require.True(b, b.take(lock))
		p.sent = nil
		require.NoError(b, lock.Unlock(b.Context()))
		require.Equal(b, []string{"evalsha", "eval"}, p.sent, "the text goes after the hash")
		require.True(b, known())

		require.NoError(b, p.ScriptFlush(b.Context()).Err())
		require.False(b, known())
	})
}

// Article 1, all parts. The lease is over, there is nothing to release, and the holder
// is not told. The other articles' releases at least answer false.
func TestUnlockThrowsTheAnswerAway(t *testing.T) {
	for _, subject := range Subjects() {
		t.Run(subject.Name, func(t *testing.T) {
			inBubble(t, func(b bubble) {
				lock := subject.New(b.process().Client, "order")
				require.True(b, b.take(lock))
				time.Sleep(lease + moment)
				if err := lock.Unlock(b.Context()); strings.HasPrefix(subject.Name, "article1/") {
					require.NoError(b, err)
				} else {
					require.ErrorIs(b, err, errNotHeld)
				}
			})
		})
	}
}
