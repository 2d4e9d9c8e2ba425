//go:build unix

package realredis

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"
)

// Cluster is a Redis Cluster of three primaries, and a replica for each if they have one.
type Cluster struct {
	Primaries, Replicas []*Server

	t       *testing.T
	failing int // the primary that was detached from its replica
}

// lastSlot is that of the ith primary, of 16384 in all.
func lastSlot(i int) int { return (i+1)*16384/3 - 1 }

// StartCluster starts a Cluster, with or without replicas, and returns when all of it is
// up.
func StartCluster(t *testing.T, replicas bool) *Cluster {
	t.Helper()
	ctx := t.Context()
	c := &Cluster{t: t}
	start := func() *Server {
		return Start(t, "--cluster-enabled", "yes", "--cluster-config-file", "nodes.conf", "--cluster-node-timeout", "1000")
	}
	for i := range 3 {
		s := start()
		c.Primaries = append(c.Primaries, s)
		s.do(ctx, "CLUSTER", "ADDSLOTSRANGE", lastSlot(i-1)+1, lastSlot(i))
		s.do(ctx, "CLUSTER", "SET-CONFIG-EPOCH", i+1)
	}
	if replicas {
		for range 3 {
			c.Replicas = append(c.Replicas, start())
		}
	}
	all := append(append([]*Server{}, c.Primaries...), c.Replicas...)
	for _, s := range all[1:] {
		s.do(ctx, "CLUSTER", "MEET", "127.0.0.1", c.Primaries[0].Port)
	}
	for _, s := range all {
		s.await(clusterInfo, "cluster_state:ok", fmt.Sprintf("cluster_known_nodes:%d\r\n", len(all)))
	}
	for i, s := range c.Replicas {
		s.do(ctx, "CLUSTER", "REPLICATE", c.Primaries[i].do(ctx, "CLUSTER", "MYID"))
	}
	for _, s := range c.Replicas {
		s.await(info("replication"), "master_link_status:up")
	}
	for _, s := range all {
		eventually(t, func() bool {
			return strings.Count(fmt.Sprint(s.do(ctx, "CLUSTER", "NODES")), "slave") == len(c.Replicas)
		}, "a replica is not known")
	}
	return c
}

// do sends a command that must succeed.
func (s *Server) do(ctx context.Context, args ...any) any {
	s.t.Helper()
	client := s.Client()
	defer client.Close()
	answer, err := client.Do(ctx, args...).Result()
	require.NoError(s.t, err, "%v", args)
	return answer
}

var clusterInfo = []any{"CLUSTER", "INFO"}

// Client is a new client of the whole Cluster. Its owner closes it. go-redis asks a primary
// that is dead for a minute more, unless it is told to look around more often.
func (c *Cluster) Client() redis.UniversalClient {
	var addrs []string
	for _, s := range c.Primaries {
		addrs = append(addrs, s.Addr())
	}
	return redis.NewClusterClient(&redis.ClusterOptions{Addrs: addrs, ClusterStateReloadInterval: 500 * time.Millisecond})
}

// Detach lets nothing more arrive at the replica of the primary that has the key.
func (c *Cluster) Detach(key string) {
	slot := c.Primaries[0].do(context.Background(), "CLUSTER", "KEYSLOT", key).(int64)
	c.failing = 0
	for int(slot) > lastSlot(c.failing) {
		c.failing++
	}
	detach(c.t, c.Primaries[c.failing], c.Replicas[c.failing])
}

// Failover ends that primary, and returns when the others have let its replica take over:
// some seconds.
func (c *Cluster) Failover() {
	c.Primaries[c.failing].Kill()
	replica := c.Replicas[c.failing]
	replica.Continue()
	replica.await(info("replication"), "role:master")
	for i, s := range c.Primaries {
		if i != c.failing {
			s.await(clusterInfo, "cluster_state:ok")
		}
	}
	replica.await(clusterInfo, "cluster_state:ok")
}
