package articles

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
)

// What a story of three processes cannot show is shown here: two handles in one
// process, the value in Redis, what was sent and how long it took.

const (
	lease   = 10 * time.Second
	order   = "lock:order"
	moment  = time.Millisecond
	forLong = 365 * 24 * time.Hour
	noLease = time.Duration(-1) // how PTTL says that a key never ends
)

// bubble is an embedded Redis on a clock that moves only when everybody waits.
type bubble struct {
	*testing.T
	redis *miniredis.Miniredis
}

func inBubble(t *testing.T, story func(b bubble)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		m := miniredis.NewMiniRedis()
		m.ClockTTL(true)
		defer m.Close()
		story(bubble{t, m})
	})
}

// process is a client of its own, with everything that it sent.
type process struct {
	*redis.Client
	sent  []string
	at    []time.Time
	bytes int
	delay time.Duration // each way
	fail  func(command string) (before, after error)
}

func (b bubble) process() *process {
	p := &process{fail: func(string) (before, after error) { return nil, nil }}
	p.Client = redis.NewClient(&redis.Options{
		Addr: "127.0.0.1:6379",
		Dialer: func(context.Context, string, string) (net.Conn, error) {
			conn, err := b.redis.Dial()
			return counted{conn, &p.bytes}, err
		},
		Protocol:                 2,
		DisableIdentity:          true,
		MaxRetries:               -1,
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
	})
	b.Cleanup(func() { _ = p.Close() })
	require.NoError(b, p.Ping(b.Context()).Err())
	p.bytes = 0
	p.AddHook(p)
	return p
}

func (p *process) listing() listing { return listing{p.Client, order} }

func (p *process) DialHook(next redis.DialHook) redis.DialHook { return next }

func (p *process) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

func (p *process) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		p.sent, p.at = append(p.sent, cmd.Name()), append(p.at, time.Now())
		before, after := p.fail(cmd.Name())
		if before != nil {
			cmd.SetErr(before)
			return before
		}
		time.Sleep(p.delay)
		err := next(ctx, cmd)
		time.Sleep(p.delay)
		if after != nil {
			cmd.SetErr(after)
			return after
		}
		return err
	}
}

var errCrash, errNoReply = errors.New("the process died"), errors.New("the reply was lost")

// counted counts the bytes of all requests.
type counted struct {
	net.Conn
	bytes *int
}

func (c counted) Write(p []byte) (int, error) {
	*c.bytes += len(p)
	return c.Conn.Write(p)
}

// take asks for the lock, and says whether it was given.
func (b bubble) take(lock simulations.Locker) bool {
	b.Helper()
	taken, err := lock.TryLock(b.Context(), lease)
	require.NoError(b, err)
	return taken
}

// value is what the lock's key holds; "" if there is no key.
func (b bubble) value() string {
	value, _ := b.redis.Get(order)
	return value
}

// left is how long the key has to live.
func (b bubble) left(p *process) time.Duration {
	b.Helper()
	left, err := p.PTTL(b.Context(), order).Result()
	require.NoError(b, err)
	return left
}

// find returns the listing of that name.
func find(t *testing.T, name string) simulations.Subject {
	t.Helper()
	subject, err := simulations.FindSubject(name, Subjects())
	require.NoError(t, err)
	return subject
}

// race returns the scenario of that name.
func race(t *testing.T, name string) simulations.Scenario {
	t.Helper()
	scenario, err := simulations.FindScenario(name, simulations.Scenarios())
	require.NoError(t, err)
	return scenario
}

// event returns the first event of the actor with that text.
func event(t *testing.T, trace simulations.Trace, actor, text string) simulations.Event {
	t.Helper()
	for _, e := range trace {
		if e.Actor == actor && e.Text == text {
			return e
		}
	}
	t.Fatalf("%s never came to %q:\n%s", actor, text, trace)
	return simulations.Event{}
}
