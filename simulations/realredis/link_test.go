//go:build unix

package realredis_test

import (
	"io"
	"net"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"redislocklab/simulations/realredis"
)

// link is a way to a server that can fall silent: the connections stay, and nothing
// comes through. This is what a network does, and what neither end is told of.
type link struct {
	net.Listener
	silence chan struct{}
	once    sync.Once
}

func newLink(t *testing.T, to *realredis.Server) *link {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	l := &link{Listener: listener, silence: make(chan struct{})}
	t.Cleanup(func() {
		_ = l.Close()
		l.fallSilent()
	})
	go func() {
		for {
			near, err := l.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial("tcp", to.Addr())
			if err != nil {
				_ = near.Close()
				continue
			}
			t.Cleanup(func() { _, _ = near.Close(), far.Close() })
			go l.carry(near, far)
			go l.carry(far, near)
		}
	}()
	return l
}

func (l *link) fallSilent() { l.once.Do(func() { close(l.silence) }) }

func (l *link) carry(to io.Writer, from io.Reader) {
	p := make([]byte, 64<<10)
	for {
		n, err := from.Read(p)
		select {
		case <-l.silence:
			if err != nil {
				return
			}
			continue // read, and lost
		default:
		}
		if n > 0 {
			_, _ = to.Write(p[:n])
		}
		if err != nil {
			return
		}
	}
}
