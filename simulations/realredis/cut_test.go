//go:build unix

package realredis_test

import (
	"context"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// cut breaks the connection in the middle of the next command that has this word in it:
// after half of the request, or after all of it and before the reply.
type cut struct {
	word atomic.Pointer[string]
	half bool
	cuts atomic.Int32
}

func (c *cut) next(word string) { c.word.Store(&word) }

func (c *cut) dial(options *redis.Options) {
	options.Dialer = func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := (&net.Dialer{}).DialContext(ctx, network, addr)
		return cutConn{conn, c}, err
	}
}

type cutConn struct {
	net.Conn
	cut *cut
}

func (c cutConn) Write(request []byte) (int, error) {
	word := c.cut.word.Load()
	if word == nil || !strings.Contains(string(request), *word) || !c.cut.word.CompareAndSwap(word, nil) {
		return c.Conn.Write(request)
	}
	defer c.Conn.Close()
	c.cut.cuts.Add(1)
	if c.cut.half {
		return c.Conn.Write(request[:len(request)/2])
	}
	n, err := c.Conn.Write(request)
	time.Sleep(lease / 50) // the server reads before it sees that we are gone
	return n, err
}

func TestAConnectionIsCutInTheMiddleOfACommand(t *testing.T) {
	for name, half := range map[string]bool{"after the request": false, "after half of it": true} {
		t.Run(name, func(t *testing.T) {
			wards(t, func(w *ward) {
				c := &cut{half: half}
				a, b := w.client("A", c.dial), w.client("B")

				c.next(w.name) // TryLock
				_, err := a.TryLock(context.Background(), lease)
				w.Error(err)
				w.EqualValues(1, c.cuts.Load())
				a.enters() // whether it was ours, the next try finds out
				b.refused()

				waits := b.waits()
				c.next(w.name) // a renewal
				w.eventually(func() bool { return c.cuts.Load() == 2 }, "no renewal")
				time.Sleep(lease + lease/6) // between two renewals
				w.NoError(a.Context().Err(), "the next renewal has kept it")

				c.next(w.name) // Unlock
				w.Error(a.leaves())
				w.EqualValues(3, c.cuts.Load())
				_ = a.Unlock(context.Background()) // "not held" if the first one had arrived
				w.NoError(w.soon(waits))
				w.NoError(b.leaves())

				c.next(w.name) // Lock
				a.enters()
				w.EqualValues(4, c.cuts.Load())
				w.NoError(a.leaves())
			})
		})
	}
}
