//go:build unix

package peers

import (
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/rueidis"

	"redislocklab/simulations"
	"redislocklab/simulations/realredis"
)

// playReal tells a story on a redis-server of its own, or skips t where there is none.
func (c column) playReal(t *testing.T, s simulations.Scenario) simulations.Report {
	t.Helper()
	lease, server := s.RealLease(), simulations.Real{}
	if s.OwnServers {
		pair := realredis.StartPair(t)
		lease, server = time.Minute, simulations.Real{Connect: pair.Client, Detach: pair.Detach, Failover: pair.Failover}
	} else {
		one := realredis.Start(t)
		server.Connect = func() redis.UniversalClient { return one.Client() }
	}
	c.New = func(client redis.UniversalClient, name string) simulations.Locker {
		lock := NewRueidislock(rueidis.ClientOption{}, name)
		lock.Options.ClientBuilder = tracked(client.(*redis.Client))
		patient(lock)
		if err := lock.open(lease); err != nil { // before the story begins
			t.Fatal(err)
		}
		t.Cleanup(lock.Close)
		return lock
	}
	report, err := simulations.PlayReal(t, s, c.Subject, lease, server)
	if err != nil {
		t.Fatal(err)
	}
	return report
}
