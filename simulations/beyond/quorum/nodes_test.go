package quorum_test

import (
	"context"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
	"github.com/stretchr/testify/require"

	"redislocklab/simulations"
	"redislocklab/simulations/beyond/quorum"
)

const ttl = time.Second

// nodes are three embedded Redis servers in one bubble.
type nodes struct {
	t       *testing.T
	servers [3]*miniredis.Miniredis
	locks   *[]*process
}

// process has one lock, and a wire to each node.
type process struct {
	*quorum.Lock
	t     *testing.T
	wires [3]*simulations.Wire
}

func inThreeNodes(t *testing.T, test func(t *testing.T, n nodes)) {
	synctest.Test(t, func(t *testing.T) {
		n := nodes{t: t, locks: new([]*process)}
		for i := range n.servers {
			n.servers[i] = miniredis.NewMiniRedis()
			n.servers[i].ClockTTL(true)
			t.Cleanup(n.servers[i].Close)
		}
		first := n.lock() // it loads the scripts, so that later each of them is one command
		first.take()
		time.Sleep(ttl / 2)
		require.NoError(t, first.Unlock(t.Context()))
		time.Sleep(time.Millisecond) // two nodes have answered; the third hears of it now
		test(t, n)
		time.Sleep(5 * ttl) // what is in the background notices the end
	})
}

func (n nodes) lock() *process {
	p := &process{t: n.t}
	var clients []redis.UniversalClient
	for i, server := range n.servers {
		client := n.client(server)
		p.wires[i] = simulations.NewWire(n.t, client)
		clients = append(clients, client)
	}
	p.Lock = quorum.New(clients, "order")
	*n.locks = append(*n.locks, p)
	return p
}

func (n nodes) client(server *miniredis.Miniredis) *redis.Client {
	client := redis.NewClient(&redis.Options{
		Addr:                     "127.0.0.1:6379", // never dialled
		Dialer:                   func(context.Context, string, string) (net.Conn, error) { return server.Dial() },
		Protocol:                 2,
		DisableIdentity:          true,
		MaxRetries:               -1,
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
	})
	n.t.Cleanup(func() { _ = client.Close() })
	return client
}

// down cuts everybody off from a node.
func (n nodes) down(i int) {
	for _, p := range *n.locks {
		p.wires[i].Cut()
	}
}

// keys is how many there are on all nodes.
func (n nodes) keys() (count int) {
	for _, server := range n.servers {
		count += len(server.Keys())
	}
	return count
}

func (p *process) take() {
	p.t.Helper()
	taken, err := p.TryLock(p.t.Context(), ttl)
	require.NoError(p.t, err)
	require.True(p.t, taken)
}

func (p *process) refused() {
	p.t.Helper()
	taken, err := p.TryLock(p.t.Context(), ttl)
	require.NoError(p.t, err)
	require.False(p.t, taken)
}
