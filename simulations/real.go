package simulations

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// Real is a Redis server, or what looks like one to a client: a Cluster, a primary with
// its replica.
type Real struct {
	Connect  func() redis.UniversalClient // a client of its own for each process, with MaxRetries: -1
	Detach   func(key string)             // the replica of the primary that has the key receives nothing more
	Failover func()                       // ends that primary, and returns when its replica has taken over
}

// PlayReal is Play on servers that run, in real time: one, or as many as the subject
// needs. A lease lasts as long as the argument says, and all other times are as much
// shorter or longer. The server must be of version 7.0 or later. Only keys are touched
// whose name has a random word of this story in it, and they are removed at the end, also
// when the process is interrupted.
//
// The error is that of a server that does not answer, or not any more, or that refuses a
// command; or of a machine that is too slow for this, which is tried three times.
func PlayReal(t *testing.T, s Scenario, subject Subject, lease time.Duration, servers ...Real) (Report, error) {
	t.Helper()
	var failed error
	report := retell(func(nth int) (report Report, struck bool) {
		for range 3 {
			report, struck, failed = playReal(t, s, subject, lease, servers, nth)
			if !errors.Is(failed, errSlow) {
				break
			}
		}
		return report, struck && failed == nil
	})
	return report, failed
}

var errSlow = errors.New("the server or this machine is too slow for a story in real time: try again")

func playReal(t *testing.T, s Scenario, subject Subject, lease time.Duration, servers []Real, nth int) (report Report, struck bool, failed error) {
	name := "lab-" + strings.ToLower(rand.Text()[:12]) + "-" + lockName
	var on []server
	for _, real := range servers {
		s := newRealServer(real, name, subject.key(name))
		on = append(on, s)
		failed = errors.Join(failed, s.failure())
	}
	if failed != nil {
		for _, s := range on {
			s.close()
		}
		return Report{}, false, failed
	}
	defer cleanWhenInterrupted(on)()
	clock := &realTime{lease: lease}
	w := newWorldOn(t, on, name, clock, subject, 3, s.About)
	w.nth = nth
	report = w.play(s)
	w.close()
	for _, s := range on {
		failed = errors.Join(failed, s.(*realServer).failure())
	}
	if failed == nil && clock.slip > lease/3 {
		failed = errSlow
	}
	return report, w.struck, failed
}

// cleanWhenInterrupted removes what the story has made when somebody ends this process.
// Until stop is called.
func cleanWhenInterrupted(servers []server) (stop func()) {
	interrupted, ended := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(interrupted, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	go func() {
		select {
		case <-interrupted:
			for _, s := range servers {
				s.(*realServer).keys.end() // or the story would make them anew
				s.(*realServer).clean()
			}
			os.Exit(130)
		case <-ended:
		}
	}()
	return func() {
		signal.Stop(interrupted)
		close(ended)
	}
}

// realServer is a server as a world sees it.
type realServer struct {
	Real
	key    string // the lock's
	client redis.UniversalClient
	keys   *keys
	ahead  time.Duration // how much the server's clock is before ours

	mu     sync.Mutex
	failed error // it refuses a command, or does not answer any more and is not asked again
}

func (s *realServer) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed == nil {
		s.failed = err
	}
}

func (s *realServer) failure() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failed
}

func newRealServer(real Real, name, key string) *realServer {
	s := &realServer{Real: real, key: key, client: real.Connect(), keys: newKeys(name)}
	s.answer(func(ctx context.Context) error {
		sent := time.Now()
		now, err := s.client.Time(ctx).Result()
		s.ahead = now.Sub(sent.Add(time.Since(sent) / 2))
		return err
	})
	return s
}

// answer asks until there is an answer: a server that has just taken over needs a moment.
func (s *realServer) answer(ask func(ctx context.Context) error) {
	for end := time.Now().Add(10 * time.Second); s.failure() == nil; time.Sleep(10 * time.Millisecond) {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		err := ask(ctx)
		cancel()
		if err == nil {
			return
		}
		if time.Now().After(end) || refusal(err) {
			s.fail(fmt.Errorf("the server does not answer: %s", reason(err)))
		}
	}
}

// refuses notices that the server has refused a command of a lock: that is no verdict on
// the lock.
func (s *realServer) refuses(command string, err error) {
	if refusal(err) && !errors.Is(err, redis.Nil) && !errors.Is(err, redis.TxFailedErr) && !redis.HasErrorPrefix(err, "NOSCRIPT") {
		s.fail(fmt.Errorf("the server refuses %s: %s", command, reason(err)))
	}
}

// refusal tells whether it is no use to ask again.
func refusal(err error) bool {
	for _, soon := range []string{"LOADING", "MASTERDOWN", "CLUSTERDOWN", "READONLY", "TRYAGAIN", "MOVED", "ASK"} {
		if redis.HasErrorPrefix(err, soon) {
			return false
		}
	}
	return errors.As(err, new(redis.Error))
}

func (s *realServer) connect() redis.UniversalClient {
	client := s.Connect()
	client.AddHook(s.keys)
	return client
}

// lookScript needs the whole value only to compare it: DUMP takes any type.
const lookScript = `return {redis.call('DUMP', KEYS[1]), redis.call('PEXPIRETIME', KEYS[1])}`

func (s *realServer) look(key string) (value string, ends time.Time, exists bool) {
	s.answer(func(ctx context.Context) error {
		found, err := s.client.Eval(ctx, lookScript, []string{key}).Slice()
		if err != nil {
			return err
		}
		value, exists = found[0].(string)
		if ms := found[1].(int64); ms > 0 {
			ends = time.UnixMilli(ms).Add(-s.ahead)
		}
		return nil
	})
	return value, ends, exists
}

func (s *realServer) dump() string { return "" }

// A story that does more to a server is not for one that runs: see Scenario.OwnServers.
func (s *realServer) detach()                 { s.Detach(s.key) }
func (s *realServer) failover()               { s.Failover() }
func (s *realServer) crash()                  { panic("crash") }
func (s *realServer) restart()                { panic("restart") }
func (s *realServer) jumpClock(time.Duration) { panic("jump") }

func (s *realServer) close() {
	s.clean()
	_ = s.client.Close()
}

// clean deletes what the story has made, and nothing else.
func (s *realServer) clean() {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	for _, key := range s.keys.all() {
		if err := s.client.Del(ctx, key).Err(); err != nil {
			fmt.Fprintf(os.Stderr, "%s could not be deleted: %s\n", key, reason(err))
			return
		}
	}
}
