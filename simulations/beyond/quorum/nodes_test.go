package quorum_test

import (
	"context"
	"errors"
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
	isDown  *[3]bool
}

// process has one lock, and a wire to each node.
type process struct {
	*quorum.Lock
	t     *testing.T
	wires [3]*simulations.Wire
}

func inThreeNodes(t *testing.T, test func(t *testing.T, n nodes)) {
	synctest.Test(t, func(t *testing.T) {
		n := nodes{t: t, isDown: new([3]bool)}
		for i := range n.servers {
			n.servers[i] = miniredis.NewMiniRedis()
			n.servers[i].ClockTTL(true)
			t.Cleanup(n.servers[i].Close)
		}
		test(t, n)
		time.Sleep(5 * ttl) // what is in the background notices the end
	})
}

func (n nodes) lock() *process {
	p := &process{t: n.t}
	var clients []redis.UniversalClient
	for i, server := range n.servers {
		client := redis.NewClient(&redis.Options{
			Addr:                     "127.0.0.1:6379", // never dialled
			Dialer:                   func(context.Context, string, string) (net.Conn, error) { return server.Dial() },
			Protocol:                 2,
			DisableIdentity:          true,
			MaxRetries:               -1,
			MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
		})
		n.t.Cleanup(func() { _ = client.Close() })
		client.AddHook(refuse{&n.isDown[i]})
		p.wires[i] = simulations.NewWire(n.t, client)
		clients = append(clients, client)
	}
	p.Lock = quorum.New(clients, "order")
	return p
}

func (n nodes) down(i int) { n.isDown[i] = true }

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

// refuse is a node that is down: connection refused.
type refuse struct{ down *bool }

var errRefused = errors.New("connection refused")

func (r refuse) DialHook(next redis.DialHook) redis.DialHook { return next }

func (r refuse) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

func (r refuse) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		if *r.down {
			cmd.SetErr(errRefused)
			return errRefused
		}
		return next(ctx, cmd)
	}
}
