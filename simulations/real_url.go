package simulations

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/redis/go-redis/v9"
)

// RealLease is how long a lease should last where the story is played in real time. Half a
// second, in which a free lock must reach a waiter, must be short beside it.
func (s Scenario) RealLease() time.Duration {
	if s.Waits {
		return ttl
	}
	return ttl / 10
}

var (
	errNoURL = errors.New("REDIS_URL is not like redis://user:password@host:port/0 (rediss:// with TLS);\n" +
		"in a password, write / as %2F, @ as %40, : as %3A, # as %23, ? as %3F, % as %25")
	errOld     = errors.New("REDIS_URL: races in real time need Redis 7.0 or later (PEXPIRETIME)")
	errCluster = errors.New("REDIS_URL: this is a Redis Cluster; give it a single server (make test-redis starts a Cluster of its own)")
)

// RealFromEnvironment is the server that REDIS_URL names, and nil if it names none. It
// has answered. No error has a password in it.
func RealFromEnvironment() (*Real, error) {
	text := os.Getenv("REDIS_URL")
	if text == "" {
		return nil, nil
	}
	options, err := redis.ParseURL(text)
	if u, bad := url.Parse(text); err != nil || bad != nil || strings.Contains(u.Path+u.RawQuery+u.Fragment, "@") {
		return nil, errNoURL // and not err, which can quote the text
	}
	options.MaxRetries = -1
	real := &Real{Connect: func() redis.UniversalClient {
		own := *options
		return redis.NewClient(&own)
	}}
	return real, real.check()
}

// check tries what a story needs, on a key of its own.
func (r *Real) check() error {
	client := r.Connect()
	defer client.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	key := "lock:{lab-" + strings.ToLower(rand.Text()[:12]) + "}"
	if client.Do(ctx, "CLUSTER", "INFO").Err() == nil {
		return errCluster
	}
	err := errors.Join(
		client.Time(ctx).Err(),
		client.Set(ctx, key, "", time.Second).Err(),
		client.Eval(ctx, lookScript, []string{key}).Err(),
		client.Del(ctx, key).Err(),
		client.Publish(ctx, key+":a", "").Err(),
		listens(ctx, client, key+":a"),
	)
	if err == nil {
		return nil
	}
	said := err.Error()
	switch {
	case strings.Contains(said, "nknown Redis command"):
		return errOld
	case strings.Contains(said, "MOVED "), strings.Contains(said, "CLUSTERDOWN "):
		return errCluster
	}
	return fmt.Errorf("REDIS_URL: %s", reason(err))
}

func listens(ctx context.Context, client redis.UniversalClient, channel string) error {
	subscription := client.Subscribe(ctx, channel)
	defer subscription.Close()
	_, err := subscription.Receive(ctx)
	return err
}

// reason is why it failed, in words that are ours, or the first word of what Redis says:
// anything else can quote the URL.
func reason(err error) string {
	var said redis.Error
	var unknown *net.DNSError
	switch {
	case errors.As(err, &said) && strings.Contains(said.Error(), "DB index"):
		return "there is no such database"
	case errors.As(err, &said) && strings.Contains(said.Error(), "can't run this command"):
		return "NOPERM, says the server" // to a script
	case errors.As(err, &said):
		code, _, _ := strings.Cut(said.Error(), " ")
		return code + ", says the server"
	case errors.As(err, &unknown):
		return "no such host"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "connection refused"
	case errors.Is(err, syscall.ENOENT):
		return "no such file"
	case errors.Is(err, syscall.ENETUNREACH), errors.Is(err, syscall.EHOSTUNREACH):
		return "the host cannot be reached"
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
		return "no answer"
	}
	return "there is no Redis that understands us (redis:// or rediss://?)"
}

// CanPlay tells why a story cannot be played on the server of REDIS_URL; nil: it can.
func (r *Real) CanPlay(s Scenario, subject Subject) error {
	switch {
	case s.OwnServers:
		return fmt.Errorf("%s harms its servers, and needs servers of its own.\nWithout REDIS_URL it is simulated", s.Name)
	case subject.Nodes > 1:
		return fmt.Errorf("%s needs %d servers, and REDIS_URL names one.\nWithout REDIS_URL it is simulated", subject.Name, subject.Nodes)
	}
	return nil
}
