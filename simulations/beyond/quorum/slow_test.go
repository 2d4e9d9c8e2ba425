package quorum_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"redislocklab/simulations"
	"redislocklab/simulations/beyond/quorum"
)

// A node that is slow does not hold up the others, and what it does too late is undone.
func TestASlowNode(t *testing.T) {
	inThreeNodes(t, func(t *testing.T, n nodes) {
		a := n.lock()
		stop := a.wires[0].Hold()
		since := time.Now()
		a.take()
		require.Equal(t, ttl/10, time.Since(since), "so long it is waited for")
		require.NoError(t, a.Unlock(t.Context()))
		require.Equal(t, ttl/10, time.Since(since), "two have said yes")
		stop.Go() // and only now it hears of the lock
		time.Sleep(time.Millisecond)
		require.Zero(t, n.keys())
	})
}

// Unlock returns when most nodes have answered. The next try waits for the others' turn.
func TestAReleaseUnderWayIsWaitedFor(t *testing.T) {
	inThreeNodes(t, func(t *testing.T, n nodes) {
		a := n.lock()
		a.take()
		stop := a.wires[2].Hold()
		require.NoError(t, a.Unlock(t.Context()))
		a.wires[0].Cut()
		time.AfterFunc(ttl/20, stop.Go)
		a.take()
		require.NoError(t, a.Unlock(t.Context()))
	})
}

func TestASlowMajorityIsAnError(t *testing.T) {
	inThreeNodes(t, func(t *testing.T, n nodes) {
		a, b := n.lock(), n.lock()
		stops := []*simulations.Stop{a.wires[0].HoldReply(), a.wires[1].HoldReply()}
		taken, err := a.TryLock(t.Context(), ttl)
		require.ErrorIs(t, err, quorum.ErrNoAnswer)
		require.ErrorContains(t, err, "node 1: ")
		require.ErrorContains(t, err, "node 2: ")
		require.NotContains(t, err.Error(), "node 3: ")
		require.False(t, taken)
		for _, stop := range stops {
			stop.Go()
		}
		time.Sleep(time.Millisecond)
		require.Zero(t, n.keys(), "although two nodes had carried it out")
		b.take()
		require.NoError(t, b.Unlock(t.Context()))
	})
}

func TestCancelledWhileItTries(t *testing.T) {
	inThreeNodes(t, func(t *testing.T, n nodes) {
		a := n.lock()
		stops := []*simulations.Stop{a.wires[0].Hold(), a.wires[1].Hold(), a.wires[2].HoldReply()}
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		since := time.Now()
		_, err := a.TryLock(ctx, ttl)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Equal(t, time.Millisecond, time.Since(since))
		for _, stop := range stops {
			stop.Go()
		}
		time.Sleep(time.Millisecond)
		require.Zero(t, n.keys())
	})
}

// The replies took a while: what is left of the lease counts from before the first command.
func TestSlowNodesCountFromBefore(t *testing.T) {
	inThreeNodes(t, func(t *testing.T, n nodes) {
		a := n.lock()
		for _, wire := range a.wires {
			time.AfterFunc(ttl/20, wire.HoldReply().Go)
		}
		since := time.Now()
		a.take()
		require.Equal(t, ttl/20, time.Since(since))
		for _, wire := range a.wires {
			wire.Cut()
		}
		<-a.Context().Done()
		require.Equal(t, ttl-ttl/100-2*time.Millisecond, time.Since(since))
		for _, wire := range a.wires {
			wire.Mend()
		}
		require.Error(t, a.Unlock(t.Context()))
	})
}

// Two nodes hang while the lock is held. Nothing piles up behind them.
func TestNodesThatHang(t *testing.T) {
	inThreeNodes(t, func(t *testing.T, n nodes) {
		a := n.lock()
		a.take()
		first := []*simulations.Stop{a.wires[0].Hold(), a.wires[1].Hold()}
		<-a.Context().Done()
		require.Equal(t, 2, a.wires[0].Sent(), "the lock, and one renewal that hangs")
		for _, stop := range first {
			time.AfterFunc(ttl, stop.Go)
		}
		since := time.Now()
		err := a.Unlock(t.Context())
		require.Equal(t, ttl, time.Since(since), "it comes after the renewal")
		require.ErrorIs(t, err, quorum.ErrLost)
		require.ErrorIs(t, err, quorum.ErrNotHeld)
		time.Sleep(time.Millisecond)
		require.Zero(t, n.keys())
	})
}

// A node hangs while another process has the lock. However often it is asked for, nothing
// piles up behind that node.
func TestRefusedTriesPileUpNothing(t *testing.T) {
	inThreeNodes(t, func(t *testing.T, n nodes) {
		a, b := n.lock(), n.lock()
		b.take()
		stop := a.wires[0].Hold()
		for range 20 {
			a.refused()
		}
		stop.Go()
		time.Sleep(time.Millisecond)
		require.Equal(t, 2, a.wires[0].Sent(), "one try, and its give-back")
		require.NoError(t, b.Unlock(t.Context()))
	})
}

func TestANodeHasASecondAtMost(t *testing.T) {
	inThreeNodes(t, func(t *testing.T, n nodes) {
		a := n.lock()
		stop := a.wires[0].Hold()
		since := time.Now()
		taken, err := a.TryLock(t.Context(), time.Minute)
		require.NoError(t, err)
		require.True(t, taken)
		require.Equal(t, time.Second, time.Since(since))
		stop.Go()
		require.NoError(t, a.Unlock(t.Context()))
	})
}
