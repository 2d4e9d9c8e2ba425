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
	mu   sync.Mutex
	seen map[string]bool
}

func newKeys(name string) *keys { return &keys{name: name, seen: map[string]bool{}} }

func (k *keys) all() []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Sorted(maps.Keys(k.seen))
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
		k.remember(cmd)
		return next(ctx, cmd)
	}
}

func (k *keys) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		k.remember(cmds...)
		return next(ctx, cmds)
	}
}
