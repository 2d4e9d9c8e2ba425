package simulations

import (
	"context"
	"errors"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/redis/go-redis/v9"
)

// ErrCut is what a client gets while its wire is cut.
var ErrCut = errors.New("simulations: the wire to Redis is cut")

// Wire is the way between one client and Redis. It counts the commands of a lock,
// and can do to them what a network does.
type Wire struct {
	mu    sync.Mutex
	sent  []redis.Cmder
	cut   bool
	stops []*Stop // each for one command, in order
}

// Stop is a place where one command stands still, until Go.
type Stop struct {
	Reached chan struct{} // closed when the command is there
	open    chan struct{}
	once    sync.Once
	used    bool
	reply   bool // after the reply, and not before the request
	lost    bool // and then the reply is lost
}

// Go lets the command go on.
func (s *Stop) Go() { s.once.Do(func() { close(s.open) }) }

// NewWire puts a wire under the client. At the end of t nothing stands still any more.
func NewWire(t *testing.T, client redis.UniversalClient) *Wire {
	w := &Wire{}
	client.AddHook(w)
	t.Cleanup(w.free)
	return w
}

// Cut lets no request arrive and no connection come up, until Mend.
func (w *Wire) Cut() { w.set(func() { w.cut = true }) }

// Mend ends a Cut.
func (w *Wire) Mend() { w.set(func() { w.cut = false }) }

// Hold makes the next command stand still before it is sent.
func (w *Wire) Hold() *Stop { return w.stop(&Stop{}) }

// HoldReply makes the next command stand still when Redis has carried it out.
func (w *Wire) HoldReply() *Stop { return w.stop(&Stop{reply: true}) }

// LoseReply has the next command carried out and answers with ErrCut.
func (w *Wire) LoseReply() { w.stop(&Stop{reply: true, lost: true}).Go() }

// Sent returns how many commands the client has sent, or tried to.
func (w *Wire) Sent() (n int) {
	w.set(func() { n = len(w.sent) })
	return n
}

// Arguments returns the commands that were sent, with their arguments.
func (w *Wire) Arguments() (all [][]any) {
	w.set(func() {
		for _, cmd := range w.sent {
			all = append(all, cmd.Args())
		}
	})
	return all
}

func (w *Wire) set(f func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	f()
}

func (w *Wire) stop(s *Stop) *Stop {
	s.Reached, s.open = make(chan struct{}), make(chan struct{})
	w.set(func() { w.stops = append(w.stops, s) })
	return s
}

func (w *Wire) free() {
	w.set(func() {
		for _, s := range w.stops {
			s.Go()
		}
	})
}

func (w *Wire) DialHook(next redis.DialHook) redis.DialHook {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		if w.isCut() {
			return nil, ErrCut
		}
		return next(ctx, network, addr)
	}
}

// A pipeline is one journey.
func (w *Wire) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		return w.pass(ctx, cmds, func(cmds []redis.Cmder) error { return next(ctx, cmds) })
	}
}

func (w *Wire) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		return w.pass(ctx, []redis.Cmder{cmd}, func(cmds []redis.Cmder) error { return next(ctx, cmds[0]) })
	}
}

func (w *Wire) pass(ctx context.Context, cmds []redis.Cmder, next func([]redis.Cmder) error) error {
	if slices.Contains([]string{"hello", "client", "auth", "select", "ping"}, cmds[0].Name()) {
		return next(cmds) // the handshake of a new connection
	}
	fail := func(err error) error {
		for _, cmd := range cmds {
			cmd.SetErr(err)
		}
		return err
	}
	w.set(func() { w.sent = append(w.sent, cmds...) })
	w.wait(false)
	if w.isCut() {
		return fail(ErrCut)
	}
	carried := cmds
	if w.losesNext() { // copies: the caller's own must not get the values
		carried = nil
		for _, cmd := range cmds {
			carried = append(carried, redis.NewCmd(ctx, cmd.Args()...))
		}
	}
	err := next(carried)
	if err != nil && strings.HasPrefix(err.Error(), "NOSCRIPT") {
		return fail(err) // the client sends the script's text next: the same step
	}
	if w.wait(true) {
		return fail(ErrCut)
	}
	return err
}

func (w *Wire) isCut() (cut bool) {
	w.set(func() { cut = w.cut })
	return cut
}

// first returns the first stop of that kind that has stopped nothing yet.
// The caller has the mutex.
func (w *Wire) first(reply bool) *Stop {
	for _, s := range w.stops {
		if s.reply == reply && !s.used {
			return s
		}
	}
	return nil
}

func (w *Wire) losesNext() (loses bool) {
	w.set(func() {
		s := w.first(true)
		loses = s != nil && s.lost
	})
	return loses
}

// wait stands still at the first stop of that kind.
func (w *Wire) wait(reply bool) (lost bool) {
	var here *Stop
	w.set(func() {
		if here = w.first(reply); here != nil {
			here.used = true
			close(here.Reached)
		}
	})
	if here == nil {
		return false
	}
	<-here.open
	return here.lost
}
