package bench

import (
	"context"
	cryptorand "crypto/rand"
	"crypto/tls"
	"math/rand/v2"
	"net"
	"strings"
	"time"

	"github.com/bsm/redislock"
	"github.com/redis/go-redis/v9"
	"github.com/redis/rueidis"

	"redislocklab/simulations"
	"redislocklab/simulations/articles"
	"redislocklab/simulations/beyond"
	"redislocklab/simulations/peers"
)

// contestant is a lock that is measured.
type contestant struct {
	name          string
	waits, renews bool
	part          bool // of a lock, or a listing of an article: only its time counts
	new           func(p *process, name string) simulations.Locker
}

// floor is what a lock that deletes only its own key costs at least: SET, and a script.
const floor = "SET, EVALSHA"

// contestants are all locks that are measured; the first is the floor.
func contestants() []contestant {
	all := []contestant{{name: floor, new: func(p *process, name string) simulations.Locker {
		return &raw{p.clients()[0], "lock:{" + name + "}"}
	}}}
	for i, s := range beyond.Columns() {
		name, _, _ := strings.Cut(s.Name, "_") // "stage1_setnx"
		c := contestant{name: name, waits: i >= 3 && s.Nodes == 0, renews: i >= 4}
		c.new = func(p *process, name string) simulations.Locker {
			if s.NewOn != nil {
				return s.NewOn(p.clients(), name)
			}
			return s.New(p.clients()[0], name)
		}
		all = append(all, c)
	}
	for _, s := range articles.Subjects() {
		if name := strings.TrimPrefix(s.Name, "article2/"); name != s.Name {
			all = append(all, contestant{name: name, part: true, new: func(p *process, name string) simulations.Locker {
				return s.New(p.clients()[0], name)
			}})
		}
	}
	return append(all,
		contestant{name: "raw reply", part: true, new: func(p *process, name string) simulations.Locker {
			return &rawReply{raw{p.clients()[0], "lock:{" + name + "}"}}
		}},
		contestant{name: "scripts of 4", part: true, new: newScripts},
		contestant{name: "redislock", waits: true, new: func(p *process, name string) simulations.Locker {
			lock := peers.NewCarefulRedislock(p.clients()[0], name)
			lock.Retry = func() redislock.RetryStrategy { return &outOfStep{} }
			return lock
		}},
		contestant{name: "redsync", waits: true, new: func(p *process, name string) simulations.Locker {
			return peers.NewRedsync(peers.Pools(p.clients()[:1]), name)
		}},
		contestant{name: "rueidislock", waits: true, renews: true, new: func(p *process, name string) simulations.Locker {
			return p.rueidis().Another(name)
		}})
}

// outOfStep asks every 100 ms, and the first time after a random part of that: here all
// come when the lock is handed on, and would ask at the same instant for ever.
type outOfStep struct{ asks bool }

func (o *outOfStep) NextBackoff() time.Duration {
	if o.asks {
		return 100 * time.Millisecond
	}
	o.asks = true
	return 1 + rand.N(100*time.Millisecond)
}

// process has connections of its own to the servers, and all of them are counted.
type process struct {
	wire   *wire
	addrs  []string
	redis  []redis.UniversalClient
	locker *peers.Rueidislock
}

// clients has one client for each server, with the defaults of go-redis.
func (p *process) clients() []redis.UniversalClient {
	if p.redis == nil {
		for _, addr := range p.addrs {
			p.redis = append(p.redis, redis.NewClient(&redis.Options{Addr: addr, Dialer: p.wire.dial}))
		}
	}
	return p.redis
}

func (p *process) rueidis() *peers.Rueidislock {
	if p.locker == nil {
		p.locker = peers.NewRueidislock(rueidis.ClientOption{
			InitAddress: p.addrs[:1],
			DialCtxFn: func(ctx context.Context, addr string, _ *net.Dialer, _ *tls.Config) (net.Conn, error) {
				return p.wire.dial(ctx, "tcp", addr)
			},
		}, "")
	}
	return p.locker
}

func (p *process) end() {
	for _, client := range p.redis {
		_ = client.Close()
	}
	if p.locker != nil {
		p.locker.Close()
	}
}

// raw is the floor: SET with NX and EX, and a script that compares and deletes.
type raw struct {
	client redis.UniversalClient
	key    string
}

var compareAndDelete = redis.NewScript(`if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0`)

var rawToken = cryptorand.Text()

func (r *raw) TryLock(ctx context.Context, ttl time.Duration) (bool, error) {
	return r.client.SetNX(ctx, r.key, rawToken, ttl).Result()
}

func (r *raw) Unlock(ctx context.Context) error {
	return compareAndDelete.Run(ctx, r.client, []string{r.key}, rawToken).Err()
}
