package bench

import (
	"bytes"
	"context"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
)

// wire counts what the clients of one lock send and receive, on all their connections.
type wire struct {
	commands    atomic.Int64 // sent, without those that open a connection
	opening     atomic.Int64 // those
	connections atomic.Int64
	sent        atomic.Int64 // bytes
	received    atomic.Int64 // bytes
}

// traffic is what a wire has counted so far, or between two moments.
type traffic struct{ commands, opening, connections, sent, received int64 }

func (w *wire) so() traffic {
	return traffic{w.commands.Load(), w.opening.Load(), w.connections.Load(), w.sent.Load(), w.received.Load()}
}

func (t traffic) since(u traffic) traffic {
	return traffic{t.commands - u.commands, t.opening - u.opening, t.connections - u.connections, t.sent - u.sent, t.received - u.received}
}

func (t traffic) plus(u traffic) traffic {
	return traffic{t.commands + u.commands, t.opening + u.opening, t.connections + u.connections, t.sent + u.sent, t.received + u.received}
}

// dial opens a connection that is counted.
func (w *wire) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	conn, err := (&net.Dialer{}).DialContext(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	w.connections.Add(1)
	return &counted{Conn: conn, wire: w}, nil
}

// counted is one connection. Counting allocates nothing.
type counted struct {
	net.Conn
	wire *wire

	mu       sync.Mutex
	requests requests
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.wire.received.Add(int64(n))
	return n, err
}

func (c *counted) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	c.wire.sent.Add(int64(n))
	c.mu.Lock()
	defer c.mu.Unlock()
	opening, others := c.requests.feed(p[:n])
	c.wire.opening.Add(opening)
	c.wire.commands.Add(others)
	return n, err
}

// SyscallConn lets go-redis look whether the connection is alive, as it does without us.
func (c *counted) SyscallConn() (syscall.RawConn, error) {
	return c.Conn.(syscall.Conn).SyscallConn()
}

// requests reads what a client sends: arrays of strings in the protocol of Redis, cut into
// pieces anywhere.
type requests struct {
	rest  []byte // not read yet
	words int    // that the command still has
	first bool   // the next one is the command's name
}

// openers are the commands with which a client opens a connection, or keeps it open.
var openers = [][]byte{[]byte("hello"), []byte("auth"), []byte("client"), []byte("select"), []byte("ping")}

// feed returns how many commands have begun, of both kinds.
func (r *requests) feed(text []byte) (opening, others int64) {
	r.rest = append(r.rest, text...)
	left := r.rest
	for {
		end := bytes.IndexByte(left, '\n')
		if end < 2 {
			break
		}
		size := number(left[1 : end-1])
		if r.words == 0 { // "*3": a command of three words
			r.words, r.first, left = size, true, left[end+1:]
			continue
		}
		if len(left) < end+1+size+2 { // "$5": a word of five letters
			break
		}
		if r.first {
			word := left[end+1 : end+1+size]
			if slices.ContainsFunc(openers, func(o []byte) bool { return bytes.EqualFold(o, word) }) {
				opening++
			} else {
				others++
			}
		}
		r.words, r.first, left = r.words-1, false, left[end+1+size+2:]
	}
	r.rest = append(r.rest[:0], left...)
	return opening, others
}

func number(digits []byte) (n int) {
	for _, d := range digits {
		n = 10*n + int(d-'0')
	}
	return n
}
