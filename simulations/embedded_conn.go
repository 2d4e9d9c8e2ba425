package simulations

import (
	"context"
	"io"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// bufferedConn reads ahead, as a real connection does: what Redis sends arrives although
// nobody reads it yet. On a plain pipe a waiter that does not listen would stop Redis.
// When Redis has closed it, the next request goes over a new one: on a real connection
// the client notices that before it sends.
type bufferedConn struct {
	dial func() (net.Conn, error)

	mu sync.Mutex
	*pipe
	deadline time.Time
}

// pipe is one connection to Redis.
type pipe struct {
	net.Conn
	arrived chan []byte // closed when the connection is
	gone    atomic.Bool
	closed  context.CancelFunc
	rest    []byte // of what has arrived
}

// ahead is how many replies and messages can be on their way.
const ahead = 256

func newConn(dial func() (net.Conn, error)) (net.Conn, error) {
	p, err := newPipe(dial)
	return &bufferedConn{dial: dial, pipe: p}, err
}

func newPipe(dial func() (net.Conn, error)) (*pipe, error) {
	conn, err := dial()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	p := &pipe{Conn: conn, arrived: make(chan []byte, ahead), closed: cancel}
	go func() {
		defer close(p.arrived)
		for {
			text := make([]byte, 512)
			n, err := conn.Read(text)
			select {
			case p.arrived <- text[:n]:
			case <-ctx.Done():
			}
			if err != nil {
				p.gone.Store(true)
				return
			}
		}
	}()
	return p, nil
}

func (c *bufferedConn) current() *pipe {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.pipe
}

func (c *bufferedConn) Write(text []byte) (int, error) {
	p := c.current()
	if p.gone.Load() {
		var err error
		if p, err = newPipe(c.dial); err != nil {
			return 0, err
		}
		c.mu.Lock()
		c.pipe = p
		c.mu.Unlock()
	}
	return p.Conn.Write(text)
}

func (c *bufferedConn) Close() error {
	p := c.current()
	p.closed()
	return p.Conn.Close()
}

func (c *bufferedConn) Read(text []byte) (int, error) {
	p := c.current()
	for len(p.rest) == 0 {
		late, stop := c.timeout()
		defer stop()
		select {
		case next, open := <-p.arrived:
			if !open {
				return 0, io.EOF
			}
			p.rest = next
		case <-late:
			return 0, os.ErrDeadlineExceeded
		}
	}
	n := copy(text, p.rest)
	p.rest = p.rest[n:]
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

// SetWriteDeadline has nothing to say of a connection that is gone: Write opens another.
func (c *bufferedConn) SetWriteDeadline(t time.Time) error {
	_ = c.current().SetWriteDeadline(t)
	return nil
}

func (c *bufferedConn) SetDeadline(t time.Time) error {
	_ = c.SetReadDeadline(t)
	return c.SetWriteDeadline(t)
}
