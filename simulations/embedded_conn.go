package simulations

import (
	"context"
	"io"
	"net"
	"os"
	"sync"
	"time"
)

// bufferedConn reads ahead, as a real connection does: what Redis sends arrives although
// nobody reads it yet. On a plain pipe a waiter that does not listen would stop Redis.
type bufferedConn struct {
	net.Conn
	arrived chan []byte // closed when the connection is
	closed  context.CancelFunc
	rest    []byte // of what has arrived

	mu       sync.Mutex
	deadline time.Time
}

// ahead is how many replies and messages can be on their way.
const ahead = 256

func newBufferedConn(conn net.Conn) *bufferedConn {
	ctx, cancel := context.WithCancel(context.Background())
	c := &bufferedConn{Conn: conn, arrived: make(chan []byte, ahead), closed: cancel}
	go func() {
		defer close(c.arrived)
		for {
			p := make([]byte, 512)
			n, err := conn.Read(p)
			select {
			case c.arrived <- p[:n]:
			case <-ctx.Done():
			}
			if err != nil {
				return
			}
		}
	}()
	return c
}

func (c *bufferedConn) Close() error {
	c.closed()
	return c.Conn.Close()
}

func (c *bufferedConn) Read(p []byte) (int, error) {
	for len(c.rest) == 0 {
		late, stop := c.timeout()
		defer stop()
		select {
		case text, open := <-c.arrived:
			if !open {
				return 0, io.EOF
			}
			c.rest = text
		case <-late:
			return 0, os.ErrDeadlineExceeded
		}
	}
	n := copy(p, c.rest)
	c.rest = c.rest[n:]
	return n, nil
}

func (c *bufferedConn) timeout() (late <-chan time.Time, stop func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.deadline.IsZero() {
		return nil, func() {}
	}
	timer := time.NewTimer(time.Until(c.deadline))
	return timer.C, func() { timer.Stop() }
}

// SetReadDeadline counts from the next Read on.
func (c *bufferedConn) SetReadDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.deadline = t
	return nil
}

func (c *bufferedConn) SetDeadline(t time.Time) error {
	_ = c.SetReadDeadline(t)
	return c.SetWriteDeadline(t)
}
