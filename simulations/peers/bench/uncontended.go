package bench

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"redislocklab/simulations"
)

// alone is what it costs to lock and unlock when nobody else wants the lock.
type alone struct {
	name        string
	ratio       spread // to the floor in the same round
	micros      spread
	allocations float64
	traffic     traffic // of all
	pairs       float64
}

// uncontended plays rounds. In each round all contestants lock and unlock so many times,
// in a random order.
func uncontended(t *testing.T, addrs []string, rounds, pairs int) (table []alone) {
	all := contestants()
	locks, processes, begun := make([]simulations.Locker, len(all)), make([]*process, len(all)), make([]traffic, len(all))
	took := make([][]float64, len(all))
	for i, c := range all {
		processes[i] = &process{wire: &wire{}, addrs: addrs}
		defer processes[i].end()
		locks[i] = c.new(processes[i], "alone-"+c.name)
		lockAndUnlock(t.Context(), t, locks[i], lease, 50) // connections and scripts are there afterwards
		begun[i] = processes[i].wire.so()
	}
	for range rounds {
		for _, i := range rand.Perm(len(all)) {
			start := time.Now()
			lockAndUnlock(t.Context(), t, locks[i], lease, pairs)
			took[i] = append(took[i], time.Since(start).Seconds())
		}
	}
	for i, c := range all {
		a := alone{name: c.name, traffic: processes[i].wire.so().since(begun[i]), pairs: float64(rounds * pairs)}
		var ratios, micros []float64
		for round, seconds := range took[i] {
			ratios = append(ratios, seconds/took[0][round])
			micros = append(micros, seconds*1e6/float64(pairs))
		}
		a.ratio, a.micros = spreadOf(ratios), spreadOf(micros)
		ctx, cancel := context.WithCancel(t.Context())
		a.allocations = testing.AllocsPerRun(100, func() { lockAndUnlock(ctx, t, locks[i], lease, 1) })
		cancel()
		table = append(table, a)
	}
	return table
}

func lockAndUnlock(ctx context.Context, t *testing.T, lock simulations.Locker, ttl time.Duration, times int) {
	for range times {
		if taken, err := lock.TryLock(ctx, ttl); !taken || err != nil {
			t.Fatalf("%T: the lock is free, and TryLock says %v, %v", lock, taken, err)
		}
		if err := lock.Unlock(ctx); err != nil {
			t.Fatal(err)
		}
	}
}

const lease = 6 * time.Second
