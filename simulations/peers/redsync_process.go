package peers

import (
	"context"
	"errors"
	"time"

	redsyncredis "github.com/go-redsync/redsync/v4/redis"
	"github.com/redis/go-redis/v9"
)

// In the simulated world a process dies at its next command: the goroutine that sends it
// ends. redsync sends from goroutines of its own and waits for all of them. With mortal
// pools it gets an error then, and comes to its end as well.
func mortal(clients []redis.UniversalClient) (pools []redsyncredis.Pool) {
	for _, p := range Pools(clients) {
		pools = append(pools, pool{p})
	}
	return pools
}

type pool struct{ redsyncredis.Pool }

func (p pool) Get(ctx context.Context) (redsyncredis.Conn, error) {
	c, err := p.Pool.Get(ctx)
	return conn{c}, err
}

type conn struct{ redsyncredis.Conn }

var errDead = errors.New("the process is dead")

func (c conn) SetNX(name, value string, expiry time.Duration) (ok bool, err error) {
	err = errDead
	outlive(func() { ok, err = c.Conn.SetNX(name, value, expiry) })
	return ok, err
}

func (c conn) Eval(script *redsyncredis.Script, keysAndArgs ...any) (reply any, err error) {
	err = errDead
	outlive(func() { reply, err = c.Conn.Eval(script, keysAndArgs...) })
	return reply, err
}

// outlive calls send, and returns also if that ends its goroutine.
func outlive(send func()) {
	over := make(chan struct{})
	go func() {
		defer close(over)
		send()
	}()
	<-over
}
