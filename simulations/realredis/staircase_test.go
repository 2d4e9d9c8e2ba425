//go:build unix

package realredis_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"redislocklab/simulations"
	"redislocklab/simulations/beyond"
	"redislocklab/simulations/realredis"
)

// Every cell of the staircase on real servers and in real time: the same verdicts as in
// the simulation. What ends servers is in TestFailover.
func TestStaircase(t *testing.T) {
	var nodes []simulations.Real
	for range 3 {
		nodes = append(nodes, real(realredis.Start(t)))
	}
	for _, scenario := range simulations.Scenarios() {
		if scenario.OwnServers {
			continue
		}
		for i, subject := range beyond.Columns() {
			t.Run(scenario.Name+"/"+subject.Name, func(t *testing.T) {
				t.Parallel()
				lease := scenario.RealLease()
				if subject.Nodes > 1 { // each has a tenth of it to answer, and a busy machine needs some of that
					lease *= 3
				}
				report, err := simulations.PlayReal(t, scenario, subject, lease, nodes[:max(1, subject.Nodes)]...)
				require.NoError(t, err)
				requireCell(t, scenario, i, report)
			})
		}
	}
	t.Cleanup(func() { // when all have ended, and before the servers do
		for _, node := range nodes {
			client := node.Connect()
			defer client.Close()
			keys, err := client.Keys(context.Background(), "*").Result() // that of t has ended by now
			require.NoError(t, err)
			require.Empty(t, keys, "a key is left behind")
		}
	})
}

func requireCell(t *testing.T, scenario simulations.Scenario, column int, report simulations.Report) {
	t.Helper()
	require.Equal(t, simulations.Cell(scenario.Name, column), report.Verdict, "\n%s", report)
	if report.Verdict == simulations.Broken {
		require.Equal(t, scenario.About, report.Violation.Invariant)
	}
}

// real is a server for a story.
func real(s *realredis.Server) simulations.Real {
	return simulations.Real{Connect: func() redis.UniversalClient { return s.Client() }}
}

// replicated can lose its newest writes.
type replicated interface {
	Client() redis.UniversalClient
	Detach(key string)
	Failover()
}

// Every kind of failover loses the lock of every stage. The lease is long: Sentinel and
// Cluster need some seconds.
func TestFailover(t *testing.T) {
	scenario, err := simulations.FindScenario("failover", simulations.Scenarios())
	require.NoError(t, err)
	for name, start := range map[string]func(t *testing.T) replicated{
		"plain":    func(t *testing.T) replicated { return realredis.StartPair(t) },
		"sentinel": func(t *testing.T) replicated { return realredis.StartSentinel(t) },
		"cluster":  func(t *testing.T) replicated { return realredis.StartCluster(t, true) },
	} {
		for i, subject := range beyond.Columns() {
			t.Run(name+"/"+subject.Name, func(t *testing.T) {
				t.Parallel()
				failing := start(t)
				servers := []simulations.Real{{Connect: failing.Client, Detach: failing.Detach, Failover: failing.Failover}}
				for range subject.Nodes - 1 {
					servers = append(servers, real(realredis.Start(t)))
				}
				report, err := simulations.PlayReal(t, scenario, subject, time.Minute, servers...)
				fmt.Fprintf(t.Output(), "\n%s on %s, %s: %s\n\n%s", scenario.Name, subject.Name, name, report.Verdict, report)
				require.NoError(t, err)
				requireCell(t, scenario, i, report)
			})
		}
	}
}
