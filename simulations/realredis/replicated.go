//go:build unix

package realredis

import (
	"context"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"
)

// Pair is a primary and its replica. Its clients go to whoever is the primary now.
type Pair struct {
	Primary, Replica *Server

	t   *testing.T
	now atomic.Pointer[Server] // the primary
}

// StartPair starts a primary and a replica that has caught up. args are for both.
func StartPair(t *testing.T, args ...string) *Pair {
	t.Helper()
	p := &Pair{t: t, Primary: Start(t, args...)}
	p.Replica = startReplica(t, p.Primary, args...)
	p.now.Store(p.Primary)
	return p
}

func startReplica(t *testing.T, of *Server, args ...string) *Server {
	t.Helper()
	_, port, _ := strings.Cut(of.Addr(), ":")
	s := Start(t, append(args, "--replicaof", "127.0.0.1", port)...)
	s.await(info("replication"), "master_link_status:up")
	return s
}

// Client is a new client. Its owner closes it.
func (p *Pair) Client() redis.UniversalClient {
	return redis.NewClient(&redis.Options{
		Addr: p.Primary.Addr(),
		Dialer: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, network, p.now.Load().Addr())
		},
		MaxRetries: -1, DialerRetries: 1,
	})
}

// Detach lets nothing more arrive at the replica, whatever the key.
func (p *Pair) Detach(string) { detach(p.t, p.Primary, p.Replica) }

// Failover ends the primary, and makes the replica the new one.
func (p *Pair) Failover() {
	p.Primary.Kill()
	p.Replica.Continue()
	client := p.Replica.Client()
	defer client.Close()
	require.NoError(p.t, client.Do(context.Background(), "REPLICAOF", "NO", "ONE").Err())
	p.now.Store(p.Replica)
}

// detach cuts the connection as well: in its buffer the writes would survive.
func detach(t *testing.T, primary, replica *Server) {
	replica.Pause()
	client := primary.Client()
	defer client.Close()
	require.NoError(t, client.Do(context.Background(), "CLIENT", "KILL", "TYPE", "replica").Err())
}

func info(section string) []any { return []any{"INFO", section} }

// eventually asks until it is so, and fails t if that takes too long even for a busy
// machine.
func eventually(t *testing.T, so func() bool, what string, args ...any) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !so(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf(what, args...)
		}
	}
}

// awaitWrites asks until somebody takes a write to the key that was asked about.
func awaitWrites(t *testing.T, client redis.UniversalClient, key string) {
	t.Helper()
	defer client.Close()
	eventually(t, func() bool { return client.Persist(context.Background(), key).Err() == nil }, "nobody takes a write")
}
