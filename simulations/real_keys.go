package simulations

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/redis/go-redis/v9"
)

// keys is a hook that remembers which keys a story has touched: every argument with the
// story's name in it. What is no key, nobody misses.
type keys struct {
	name string
	ways sync.RWMutex // a command is on its way, or none may be

	mu   sync.Mutex
	seen map[string]bool
}

func newKeys(name string) *keys { return &keys{name: name, seen: map[string]bool{}} }

func (k *keys) all() []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Sorted(maps.Keys(k.seen))
}

// end waits for the commands that are on their way, and lets no other go.
func (k *keys) end() { k.ways.Lock() }

// pass lets commands go, but for the handshake of a connection, which is part of another.
func (k *keys) pass(cmds []redis.Cmder, send func() error) error {
	if slices.Contains(handshake, cmds[0].Name()) {
		return send()
	}
	k.ways.RLock()
	defer k.ways.RUnlock()
	k.remember(cmds...)
	return send()
}

func (k *keys) remember(cmds ...redis.Cmder) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, cmd := range cmds {
		for _, arg := range cmd.Args() {
			if text, ok := arg.(string); ok && strings.Contains(text, k.name) {
				k.seen[text] = true
			}
		}
	}
}

func (k *keys) DialHook(next redis.DialHook) redis.DialHook { return next }

func (k *keys) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		return k.pass([]redis.Cmder{cmd}, func() error { return next(ctx, cmd) })
	}
}

func (k *keys) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		return k.pass(cmds, func() error { return next(ctx, cmds) })
	}
}
