//go:build unix

package realredis

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"
)

// Sentinel is a primary, its replica, and three sentinels that watch them.
type Sentinel struct {
	Primary, Replica *Server
	Sentinels        []*Server

	t *testing.T
}

const masterName = "m"

// StartSentinel starts all five, and returns when the sentinels know each other and the
// replica.
func StartSentinel(t *testing.T) *Sentinel {
	t.Helper()
	s := &Sentinel{t: t, Primary: Start(t)}
	s.Replica = startReplica(t, s.Primary)
	for range 3 {
		s.Sentinels = append(s.Sentinels, startSentinel(t, s.Primary))
	}
	for _, sentinel := range s.Sentinels {
		sentinel.await(info("sentinel"), "status=ok,address="+s.Primary.Addr()+",slaves=1,sentinels=3")
	}
	return s
}

// startSentinel writes the file that a sentinel needs: it keeps there what it knows.
func startSentinel(t *testing.T, watched *Server) *Server {
	t.Helper()
	return start(t, redis.Options{}, func(port int, dir string) []string {
		file := filepath.Join(dir, "sentinel.conf")
		require.NoError(t, os.WriteFile(file, fmt.Appendf(nil, `port %d
bind 127.0.0.1
dir %s
sentinel monitor %[3]s 127.0.0.1 %[4]d 2
sentinel down-after-milliseconds %[3]s 1000
sentinel failover-timeout %[3]s 3000
`, port, dir, masterName, watched.Port), 0o600))
		return []string{file, "--sentinel"}
	})
}

// Client is a new client, which asks the sentinels for the primary. Its owner closes it.
func (s *Sentinel) Client() redis.UniversalClient {
	var addrs []string
	for _, sentinel := range s.Sentinels {
		addrs = append(addrs, sentinel.Addr())
	}
	return redis.NewFailoverClient(&redis.FailoverOptions{MasterName: masterName, SentinelAddrs: addrs, MaxRetries: -1})
}

// Detach lets nothing more arrive at the replica, whatever the key.
func (s *Sentinel) Detach(string) { detach(s.t, s.Primary, s.Replica) }

// Failover ends the primary, and returns when the sentinels have made the replica the new
// one: some seconds.
func (s *Sentinel) Failover() {
	s.Primary.Kill()
	s.Replica.Continue()
	s.Replica.await(info("replication"), "role:master")
	awaitWrites(s.t, s.Client(), "lock:{lab-no-such-key}")
}
