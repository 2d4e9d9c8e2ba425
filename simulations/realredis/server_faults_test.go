//go:build unix

package realredis_test

import (
	"context"
	"testing"
	"time"
)

// onDisk makes a server keep every write.
var onDisk = []string{"--appendonly", "yes", "--appendfsync", "always"}

// lost is what the holder is told, of either lock.
func (w *ward) lost(err error) {
	w.t.Helper()
	w.ErrorContains(err, "lost, the lease could not be kept")
}

func TestTheServerRestartsWhileOneHolds(t *testing.T) {
	wards(t, func(w *ward) {
		a, b := w.client("A"), w.client("B")
		a.enters()
		w.server.Kill()
		w.server.Restart()
		for range 3 {
			time.Sleep(lease / 2)
			w.NoError(a.Context().Err(), "it goes on being renewed")
			b.refused()
		}
		w.NoError(a.leaves())
		b.enters()
		w.NoError(b.leaves())
	}, onDisk...)
}

func TestTheServerRestartsWhileOneWaits(t *testing.T) {
	wards(t, func(w *ward) {
		a, b := w.client("A"), w.client("B")
		a.enters()
		waits := b.waits()
		time.Sleep(lease / 4)
		w.server.Kill()
		w.server.Restart()
		time.Sleep(lease)
		w.Empty(waits, "A holds it still")
		w.NoError(a.leaves())
		w.NoError(w.soon(waits))
		w.NoError(b.leaves())
	}, onDisk...)
}

// The renewal is on its way, the server stands still, and is killed.
func TestTheServerRestartsDuringARenewal(t *testing.T) {
	wards(t, func(w *ward) {
		w.lease = 4 * lease // or the server is not back in time on a busy machine
		a, b := w.client("A"), w.client("B")
		a.enters()
		time.Sleep(w.lease / 5)
		w.server.Pause()
		time.Sleep(w.lease/3 - w.lease/10)
		w.server.Kill()
		w.server.Restart()
		time.Sleep(w.lease)
		w.NoError(a.Context().Err(), "the next renewal has kept it")
		b.refused()
		w.NoError(a.leaves())
		b.enters()
		w.NoError(b.leaves())
	}, onDisk...)
}

// The server has forgotten the lock, and stays away until A knows: nobody is let in twice.
func TestTheServerForgetsAndStaysAway(t *testing.T) {
	wards(t, func(w *ward) {
		a, b, c := w.client("A"), w.client("B"), w.client("C")
		a.enters()
		waits := b.waits()
		time.Sleep(lease / 4)
		w.server.Kill()
		time.Sleep(lease)
		w.lost(a.told())
		w.server.Restart()
		if w.soon(waits) != nil { // it has waited for one lease without an answer
			b.enters()
		}
		c.refused()
		w.Error(a.leaves())
		w.NoError(b.leaves())
	})
}

// A stated limit: the server has forgotten the lock, and is back at once. The next one is
// let in, and the holder is told at its next renewal.
func TestTheServerForgetsAndIsBackAtOnce(t *testing.T) {
	wards(t, func(w *ward) {
		w.lease = 4 * lease // or the server is not back in time on a busy machine
		a, b := w.client("A"), w.client("B")
		a.enters()
		time.Sleep(w.lease / 2) // between two renewals
		w.server.Kill()
		w.server.Restart()
		b.enters()
		w.NotEmpty(w.overlaps, "B is in, and A does not know")
		w.overlaps = nil
		since := time.Now()
		w.lost(a.told())
		w.Less(time.Since(since), w.lease, "the next renewal tells it")
		w.Error(a.leaves())
		w.NoError(b.Context().Err())
		w.NoError(b.leaves())
	})
}

func TestTheServerStandsStillForLongerThanTheLease(t *testing.T) {
	wards(t, func(w *ward) {
		a, b := w.client("A"), w.client("B")
		a.enters()
		waits := b.waits()
		time.Sleep(lease / 4)
		w.server.Pause()
		w.lost(a.told())
		time.Sleep(2 * lease) // B's question is older than a lease by then, and its answer does not count
		w.server.Continue()
		if w.soon(waits) != nil {
			b.enters()
		}
		w.Error(a.leaves())
		w.NoError(context.Cause(b.Context()))
		w.NoError(b.leaves())
	})
}

func TestScriptsAreFlushed(t *testing.T) {
	wards(t, func(w *ward) {
		a, b := w.client("A"), w.client("B")
		flush := func() { w.NoError(a.redis.ScriptFlush(context.Background()).Err()) }
		a.enters()
		waits := b.waits()
		for range 4 {
			flush()
			time.Sleep(lease / 2)
			w.NoError(a.Context().Err())
		}
		flush()
		w.NoError(a.leaves())
		w.NoError(w.soon(waits))
		flush()
		w.NoError(b.leaves())
	})
}
