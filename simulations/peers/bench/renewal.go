package bench

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"redislocklab/simulations"
)

// held is what it costs to hold a lock and do nothing.
type held struct {
	name       string
	commands   float64 // in a second, for a thousand locks
	goroutines float64 // for each lock
	kilobytes  float64 // for each lock, heap and stacks
}

// renewals lets one process hold many locks, for one lease.
func renewals(t *testing.T, addrs []string, many int, lease time.Duration) (table []held) {
	renewalsOf(t, contestants()[0], addrs, many, lease) // the first one would pay for what was there before
	for _, c := range contestants()[1:] {
		if !c.part {
			table = append(table, renewalsOf(t, c, addrs, many, lease))
		}
	}
	return table
}

func renewalsOf(t *testing.T, c contestant, addrs []string, many int, lease time.Duration) held {
	p := &process{wire: &wire{}, addrs: addrs}
	defer p.end()
	lockAndUnlock(t.Context(), t, c.new(p, "first-"+c.name), lease, 1) // it is connected now
	var locks []simulations.Locker
	for i := range many {
		locks = append(locks, c.new(p, fmt.Sprintf("held-%s-%d", c.name, i)))
	}
	goroutines, bytes := runtime.NumGoroutine(), memory()
	for _, lock := range locks {
		taken, err := lock.TryLock(t.Context(), lease)
		require.NoError(t, err)
		require.True(t, taken)
	}
	result := held{c.name, 0, float64(runtime.NumGoroutine()-goroutines) / float64(many), max(0, memory()-bytes) / float64(many) / 1024}
	if c.renews {
		before := p.wire.so()
		time.Sleep(lease)
		result.commands = float64(p.wire.so().since(before).commands) / lease.Seconds() * 1000 / float64(many)
	}
	for _, lock := range locks {
		require.NoError(t, lock.Unlock(t.Context()))
	}
	return result
}

func memory() float64 {
	runtime.GC()
	runtime.GC() // a pool gives its memory back at the second one
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return float64(stats.HeapAlloc + stats.StackInuse)
}
