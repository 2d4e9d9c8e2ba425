package bench

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/redis/go-redis/v9"

	"redislocklab/simulations"
)

// Two that are no locks to use: they show what part of a lock costs how much.

// rawReply is stage 3 without the error that go-redis makes of a nil reply.
type rawReply struct{ raw }

func (r *rawReply) TryLock(ctx context.Context, ttl time.Duration) (bool, error) {
	cmd := redis.NewRawCmd(ctx, "SET", r.key, rawToken, "NX", "PX", ttl.Milliseconds(), "GET")
	err := r.client.Process(ctx, cmd)
	return err == nil && cmd.Val()[0] == '_', err // nil in the protocol: nothing was there
}

// scripts are those of stage 4, and nothing around them.
type scripts struct {
	client       redis.UniversalClient
	keys         []string
	lock, unlock *redis.Script
}

func newScripts(p *process, name string) simulations.Locker {
	return &scripts{p.clients()[0], []string{"lock:{" + name + "}", "lock:{" + name + "}:waiters"}, script("lock.lua"), script("unlock.lua")}
}

func (s *scripts) TryLock(ctx context.Context, ttl time.Duration) (bool, error) {
	left, err := s.lock.Run(ctx, s.client, s.keys, rawToken, ttl.Milliseconds(), false).Int64()
	return err == nil && left == 0, err
}

func (s *scripts) Unlock(ctx context.Context) error {
	return s.unlock.Run(ctx, s.client, s.keys, rawToken).Err()
}

// script is one of stage 4, in this folder's repository.
func script(name string) *redis.Script {
	for dir := "."; ; dir = filepath.Join(dir, "..") {
		text, err := os.ReadFile(filepath.Join(dir, "stage4_blocking", name))
		if err == nil {
			return redis.NewScript(string(text))
		}
		if abs, _ := filepath.Abs(dir); abs == filepath.Dir(abs) {
			panic(err)
		}
	}
}
