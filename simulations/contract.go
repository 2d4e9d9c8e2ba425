package simulations

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
	"github.com/stretchr/testify/require"
)

// Errors are a lock's own error values.
type Errors struct {
	NotHeld, Held, Busy, Invalid error
	Lost                         error // for a lock with Context
}

// Environment runs a test beside a Redis that has no keys yet. The clients from
// connect must not retry by themselves (MaxRetries: -1): that hides what a lock does.
type Environment func(t *testing.T, test func(t *testing.T, connect func() redis.UniversalClient))

// InBubble is the Environment with an embedded Redis and a controlled clock.
// A goroutine that is left at the end makes the bubble panic.
func InBubble(t *testing.T, test func(t *testing.T, connect func() redis.UniversalClient)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		server := newEmbedded()
		t.Cleanup(func() {
			time.Sleep(5 * time.Second) // what go-redis has in the background notices the end
			server.close()
		})
		test(t, func() redis.UniversalClient {
			client := server.connect()
			t.Cleanup(func() { _ = client.Close() })
			return client
		})
	})
}

const (
	lease  = 800 * time.Millisecond // long enough that nothing ends by itself
	short  = 200 * time.Millisecond // for leases that shall end
	moment = 100 * time.Millisecond // until everybody stands where they should
	prompt = 150 * time.Millisecond // what "at once" may take on a busy machine
)

// trial is one rule under test, with what it needs.
type trial struct {
	*require.Assertions
	t       *testing.T
	ctx     context.Context
	subject Subject
	errs    Errors
	connect func() redis.UniversalClient
	redis   redis.UniversalClient // looks on from outside
	name    string
}

// Rule is one of the promises that the doc comments of the lab's locks make.
type Rule struct {
	Name    string
	Promise string // in one sentence
	run     func(*trial)
}

// Rules are those that apply to the subject: Lock(ctx, ttl) and Context() have rules of
// their own, if the lock has them.
func Rules(s Subject) []Rule {
	client := redis.NewClient(&redis.Options{})
	defer client.Close()
	lock := s.New(client, "any")
	rules := commonContract
	if _, ok := lock.(waiter); ok {
		rules = slices.Concat(rules, waitingContract)
	}
	if _, ok := lock.(teller); ok {
		rules = slices.Concat(rules, contextContract)
	}
	return rules
}

// Contract tests every rule that applies to the subject.
func Contract(t *testing.T, s Subject, errs Errors, in Environment) {
	t.Helper()
	for _, r := range Rules(s) {
		t.Run(r.Name, func(t *testing.T) {
			in(t, func(t *testing.T, connect func() redis.UniversalClient) { r.test(t, t, s, errs, connect) })
		})
	}
}

// Try tests one rule, and reports its first break instead of printing it. Then t has
// failed all the same, and its goroutine ends.
func (r Rule) Try(t *testing.T, s Subject, errs Errors, in Environment, report func(complaint string)) {
	t.Helper()
	in(t, func(t *testing.T, connect func() redis.UniversalClient) {
		r.test(t, reporter{t, report}, s, errs, connect)
	})
}

func (r Rule) test(t *testing.T, to require.TestingT, s Subject, errs Errors, connect func() redis.UniversalClient) {
	tr := &trial{require.New(to), t, t.Context(), s, errs, connect, connect(), s.Name + ": " + r.Name}
	r.run(tr)
	tr.Eventually(3*lease, func() bool { return len(tr.keys()) == 0 }, "a key is left behind")
}

// reporter hands on what a test says when it fails, and does not print it.
type reporter struct {
	*testing.T
	report func(complaint string)
}

func (r reporter) Errorf(format string, args ...any) { r.report(fmt.Sprintf(format, args...)) }

// process is one client with one lock, and the wire between them and Redis.
type process struct {
	Locker
	client redis.UniversalClient
	wire   *Wire
}

func (tr *trial) process() *process { return tr.processFor(tr.name) }

func (tr *trial) processFor(name string) *process {
	client := tr.connect()
	return &process{tr.subject.New(client, name), client, NewWire(tr.t, client)}
}

func (tr *trial) take(l Locker, ttl time.Duration) {
	tr.t.Helper()
	taken, err := l.TryLock(tr.ctx, ttl)
	tr.NoError(err)
	tr.True(taken, "the lock is free")
}

func (tr *trial) refused(l Locker) {
	tr.t.Helper()
	taken, err := l.TryLock(tr.ctx, lease)
	tr.NoError(err)
	tr.False(taken, "another has the lock")
}

func (tr *trial) key() string { return tr.subject.key(tr.name) }

// left is how long the key still lives; -2ns if there is none.
func (tr *trial) left() time.Duration { return tr.redis.PTTL(context.Background(), tr.key()).Val() }

// keys returns what this trial has in Redis, queues of waiters included.
func (tr *trial) keys() []string {
	keys, err := KeysOf(tr.redis, "*"+tr.name+"*")
	tr.NoError(err)
	if keeps := tr.subject.Keeps; keeps != "" {
		keys = slices.DeleteFunc(keys, func(key string) bool { return strings.HasSuffix(key, keeps) })
	}
	return keys
}

// KeysOf are all keys that match a pattern; those of a Cluster live on several nodes.
func KeysOf(client redis.UniversalClient, pattern string) (keys []string, err error) {
	ctx := context.Background()
	cluster, ok := client.(*redis.ClusterClient)
	if !ok {
		return client.Keys(ctx, pattern).Result()
	}
	var mu sync.Mutex
	err = cluster.ForEachMaster(ctx, func(ctx context.Context, node *redis.Client) error {
		found, err := node.Keys(ctx, pattern).Result()
		mu.Lock()
		defer mu.Unlock()
		keys = append(keys, found...)
		return err
	})
	return keys, err
}

// Eventually hides that of testify, which looks from a second goroutine.
func (tr *trial) Eventually(within time.Duration, ok func() bool, message string) {
	tr.t.Helper()
	for end := time.Now().Add(within); !ok(); time.Sleep(time.Millisecond) {
		tr.True(time.Now().Before(end), message)
	}
}

// start makes a call in the background, and within waits for what it returns.
func start(call func() error) <-chan error {
	done := make(chan error, 1)
	go func() { done <- call() }()
	return done
}

func (tr *trial) within(d time.Duration, done <-chan error) error {
	tr.t.Helper()
	select {
	case err := <-done:
		return err
	case <-time.After(d):
		tr.FailNow("it takes longer than " + d.String())
		return nil
	}
}

// Lock waits. Only the rules of waitingContract call it.
func (p *process) Lock(ctx context.Context, ttl time.Duration) error {
	return p.Locker.(waiter).Lock(ctx, ttl)
}

// queue starts a Lock and gives it the time to stand in line.
func (tr *trial) queue(ctx context.Context, p *process) <-chan error {
	done := start(func() error { return p.Lock(ctx, lease) })
	time.Sleep(moment)
	return done
}

// calls are the ways to take a lock: TryLock, and Lock if there is one.
func (tr *trial) calls(p *process, ttl time.Duration) []func(context.Context) error {
	calls := []func(context.Context) error{
		func(ctx context.Context) error { _, err := p.TryLock(ctx, ttl); return err },
	}
	if _, waits := p.Locker.(waiter); waits {
		calls = append(calls, func(ctx context.Context) error { return p.Lock(ctx, ttl) })
	}
	return calls
}

var errUnreachable = &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("no route to Redis")}

// unreachable is a client that cannot connect.
func (tr *trial) unreachable() redis.UniversalClient {
	client := redis.NewClient(&redis.Options{
		Addr:                     "127.0.0.1:6379", // never dialled
		Dialer:                   func(context.Context, string, string) (net.Conn, error) { return nil, errUnreachable },
		DialerRetries:            1,
		MaxRetries:               -1,
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
	})
	tr.t.Cleanup(func() { _ = client.Close() })
	return client
}

// refusesBadInput checks that the call refuses it, says why, and sends nothing.
func (tr *trial) refusesBadInput(call func(Locker, context.Context, time.Duration) error) {
	client := tr.connect()
	wire := NewWire(tr.t, client)
	for _, bad := range []struct {
		what   string
		client redis.UniversalClient
		name   string
		ttl    time.Duration
	}{
		{"name", client, "", lease},
		{"name", client, "a{b", lease},
		{"name", client, "a}b", lease},
		{"client", nil, tr.name, lease},
		{"client", (*redis.Client)(nil), tr.name, lease},
		{"client", (*redis.ClusterClient)(nil), tr.name, lease},
		{"ttl", client, tr.name, 0},
		{"ttl", client, tr.name, -time.Second},
		{"ttl", client, tr.name, 999 * time.Microsecond},
	} {
		l := tr.subject.New(bad.client, bad.name)
		err := call(l, tr.ctx, bad.ttl)
		tr.ErrorIs(err, tr.errs.Invalid, "%s %q, %v", bad.what, bad.name, bad.ttl)
		tr.Contains(strings.ToLower(err.Error()), bad.what)
		tr.ErrorIs(l.Unlock(tr.ctx), tr.errs.NotHeld, "bad input takes nothing")
	}
	l := tr.subject.New(client, tr.name)
	canceled, cancel := context.WithCancel(tr.ctx)
	cancel()
	tr.ErrorIs(call(l, canceled, lease), context.Canceled)
	late, cancel := context.WithTimeout(tr.ctx, -time.Second)
	defer cancel()
	tr.ErrorIs(call(l, late, lease), context.DeadlineExceeded)
	tr.Zero(wire.Sent(), "commands sent")
	tr.take(l, lease) // and the *Lock is as good as new
	tr.NoError(l.Unlock(tr.ctx))
}
