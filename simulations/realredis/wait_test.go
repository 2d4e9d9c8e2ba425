//go:build unix

package realredis_test

import (
	"context"
	"fmt"
	"net"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"redislocklab/simulations/realredis"
)

const lockKey = "lock:{order}"

// WAIT tells how many replicas have a write. When the answer is none, the write stays all
// the same: everybody sees the key, until the failover loses it.
func TestWaitUndoesNothing(t *testing.T) {
	t.Parallel()
	pair := realredis.StartPair(t)
	a, b, ctx := pair.Client(), pair.Client(), t.Context()
	defer a.Close()
	defer b.Close()
	pair.Detach(lockKey)
	pipe := a.Pipeline() // on one connection: WAIT counts that one's writes
	set := pipe.SetNX(ctx, lockKey, "A", time.Hour)
	replicas := pipe.Do(ctx, "WAIT", 1, 100)
	_, err := pipe.Exec(ctx)
	require.NoError(t, err)
	require.True(t, set.Val())
	require.EqualValues(t, 0, replicas.Val())
	t.Log("A: SET NX -> OK, WAIT 1 100 -> 0: no replica has it")

	require.False(t, b.SetNX(ctx, lockKey, "B", time.Hour).Val())
	t.Log("B: SET NX -> nil: the 0 has undone nothing")

	pair.Failover()
	require.True(t, b.SetNX(ctx, lockKey, "B", time.Hour).Val())
	t.Log("after the failover, B: SET NX -> OK, and A still has its OK")
}

// min-replicas-to-write refuses writes when no replica has reported for a while. What
// comes before that is accepted, and the failover loses it.
func TestWaitingForReplicasLeavesAGap(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	primary := realredis.Start(t, "--min-replicas-to-write", "1", "--min-replicas-max-lag", "1")
	wire := newLink(t, primary)
	replica := realredis.Start(t, "--replicaof", "127.0.0.1", fmt.Sprint(wire.Addr().(*net.TCPAddr).Port))
	a, after := primary.Client(), replica.Client()
	defer a.Close()
	defer after.Close()
	require.Eventually(t, func() bool { return a.Set(ctx, "before", "A", 0).Err() == nil }, limit, tick)
	require.Eventually(t, func() bool { return after.Get(ctx, "before").Val() == "A" }, limit, tick)

	wire.fallSilent()
	since := time.Now()
	require.NoError(t, a.SetNX(ctx, lockKey, "A", time.Hour).Err())
	t.Log("the network to the replica is silent, and A: SET NX -> OK")
	var refused error
	require.Eventually(t, func() bool {
		refused = a.Set(context.Background(), "later", "A", 0).Err()
		return refused != nil
	}, limit, tick)
	require.ErrorContains(t, refused, "NOREPLICAS")
	t.Logf("%.1fs later: %v", time.Since(since).Seconds(), refused)

	primary.Kill()
	require.NoError(t, after.Do(ctx, "REPLICAOF", "NO", "ONE").Err())
	require.Equal(t, "A", after.Get(ctx, "before").Val())
	require.ErrorIs(t, after.Get(ctx, lockKey).Err(), redis.Nil)
	t.Log("after the failover A's lock is gone, although Redis had accepted it")
}
