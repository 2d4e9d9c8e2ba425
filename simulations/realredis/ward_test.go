//go:build unix

package realredis_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"redislocklab/simulations"
	"redislocklab/simulations/beyond"
	"redislocklab/simulations/realredis"
)

const lease = time.Second

// holder is what the faults are tried on: a lock that waits, renews and tells.
type holder interface {
	simulations.Locker
	Lock(ctx context.Context, ttl time.Duration) error
	Context() context.Context
}

// ward sees who is inside: from when its lock let it in, until it leaves or is told.
type ward struct {
	*require.Assertions
	t       *testing.T
	server  *realredis.Server
	subject simulations.Subject
	name    string
	lease   time.Duration // that its clients ask for

	mu       sync.Mutex
	inside   map[*client]bool
	overlaps []string
}

// client is one process with one lock.
type client struct {
	holder
	name  string
	redis *redis.Client
	ward  *ward
}

// wards runs a test for each lock that renews and tells, on a server of its own. At the
// end nobody was let in twice untold, and nothing is left.
func wards(t *testing.T, test func(w *ward), args ...string) {
	t.Helper()
	for _, subject := range beyond.Columns()[4:6] {
		t.Run(subject.Name, func(t *testing.T) {
			w := &ward{Assertions: require.New(t), t: t, server: realredis.Start(t, args...), subject: subject, lease: lease,
				name: strings.ReplaceAll(t.Name(), "/", " "), inside: map[*client]bool{}}
			test(w)
			w.Empty(w.overlaps)
			w.nothingIsLeft()
		})
	}
}

func (w *ward) client(name string, options ...func(*redis.Options)) *client {
	redis := w.server.Client(options...)
	w.t.Cleanup(func() { _ = redis.Close() })
	return &client{w.subject.New(redis, w.name).(holder), name, redis, w}
}

// waits is Lock in the background; the channel says when it is over.
func (c *client) waits() <-chan error {
	done := make(chan error, 1)
	go func() {
		err := c.Lock(context.Background(), c.ward.lease)
		if err == nil {
			c.ward.enters(c)
		}
		done <- err
	}()
	return done
}

// enters takes the lock, which is free or soon will be.
func (c *client) enters() {
	c.ward.t.Helper()
	c.ward.NoError(c.ward.soon(c.waits()))
}

func (c *client) refused() {
	c.ward.t.Helper()
	taken, err := c.TryLock(context.Background(), c.ward.lease)
	c.ward.NoError(err)
	c.ward.False(taken)
}

func (c *client) leaves() error {
	c.ward.mu.Lock()
	delete(c.ward.inside, c)
	c.ward.mu.Unlock()
	return c.Unlock(context.Background())
}

// told waits for the holder to be told; it is inside no more.
func (c *client) told() error {
	select {
	case <-c.Context().Done():
		return context.Cause(c.Context())
	case <-time.After(limit):
		return fmt.Errorf("%s was not told", c.name)
	}
}

func (w *ward) enters(c *client) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for other := range w.inside {
		if other.Context().Err() == nil {
			w.overlaps = append(w.overlaps, c.name+" came in, and "+other.name+" was inside")
		}
	}
	w.inside[c] = true
}

// soon waits for the end of a wait.
func (w *ward) soon(done <-chan error) error {
	select {
	case err := <-done:
		return err
	case <-time.After(limit):
		return context.DeadlineExceeded
	}
}

func (w *ward) nothingIsLeft() {
	look := w.server.Client()
	defer look.Close()
	w.eventually(func() bool {
		keys, err := simulations.KeysOf(look, "*")
		w.NoError(err)
		return len(keys) == 0 || len(keys) == 1 && w.subject.Keeps != "" && strings.HasSuffix(keys[0], w.subject.Keeps)
	}, "a key is left")
	w.eventually(func() bool {
		stacks := make([]byte, 1<<20)
		stacks = stacks[:runtime.Stack(stacks, true)]
		return !strings.Contains(string(stacks), "redislocklab/stage") && !strings.Contains(string(stacks), "beyond/fenced.")
	}, "a goroutine is left")
}

func (w *ward) eventually(so func() bool, what string) {
	w.t.Helper()
	for end := time.Now().Add(limit); !so(); time.Sleep(tick) {
		w.True(time.Now().Before(end), what)
	}
}
