package bench

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"
)

// handoff is what it costs to hand a lock on when so many wait for it.
type handoff struct {
	name     string
	waiters  int
	p50, p99 time.Duration // from the call that releases it until the next holder's Lock is back
	traffic  traffic       // of all
	times    float64       // it was taken
	unfair   float64       // the longest wait over the mean one

	unfinished bool // that wait was not over at the end
}

const inside = 2 * time.Millisecond // a holder works so long

// handoffs plays rounds for each number of waiters, in each all contestants in a random
// order, each for so long.
func handoffs(t *testing.T, addrs []string, waiters []int, rounds int, each time.Duration) (table []handoff) {
	for _, n := range waiters {
		var crowds []*crowd
		for _, c := range contestants() {
			if c.waits {
				crowds = append(crowds, newCrowd(t, c, addrs, n))
			}
		}
		for range rounds {
			for _, i := range rand.Perm(len(crowds)) {
				crowds[i].play(t, each)
			}
		}
		for _, c := range crowds {
			table = append(table, c.result())
			c.end()
		}
	}
	return table
}

// waiter is a lock that one can wait for.
type waiter interface {
	Lock(ctx context.Context, ttl time.Duration) error
	Unlock(ctx context.Context) error
}

// crowd is one who holds a lock and many who wait for it, each with connections of its
// own, as in processes of their own.
type crowd struct {
	name      string
	wire      *wire // of all
	processes []*process
	locks     []waiter
	traffic   traffic // while it counted

	mu       sync.Mutex
	counts   bool
	taken    chan struct{} // closed when the next one has it
	released time.Time
	handed   []float64            // how long that took, in seconds
	waited   []float64            // of those who got it
	asked    map[waiter]time.Time // of those who wait
	waiting  float64              // the longest wait that was not over when counting ended
}

func newCrowd(t *testing.T, c contestant, addrs []string, waiters int) *crowd {
	crowd := &crowd{name: c.name, wire: &wire{}, taken: make(chan struct{}), asked: map[waiter]time.Time{}}
	for range waiters + 1 {
		p := &process{wire: crowd.wire, addrs: addrs[:1]}
		lock := c.new(p, fmt.Sprintf("crowd-%s-%d", c.name, waiters))
		lockAndUnlock(t.Context(), t, lock, lease, 1) // it is connected now
		crowd.processes, crowd.locks = append(crowd.processes, p), append(crowd.locks, lock.(waiter))
	}
	return crowd
}

func (c *crowd) end() {
	for _, p := range c.processes {
		p.end()
	}
}

// play lets all come and go. It counts when all have come, and no more when they leave.
func (c *crowd) play(t *testing.T, each time.Duration) {
	ctx, cancel := context.WithCancel(context.Background())
	c.released = time.Time{}
	var all sync.WaitGroup
	for _, lock := range c.locks {
		all.Go(func() {
			for ctx.Err() == nil {
				if err := c.once(ctx, lock); err != nil && ctx.Err() == nil {
					c.mu.Lock()
					t.Errorf("%s: %v", c.name, err)
					c.mu.Unlock()
				}
			}
		})
	}
	time.Sleep(each / 5)
	before := c.count(true)
	time.Sleep(each)
	c.traffic = c.traffic.plus(c.count(false).since(before))
	cancel()
	all.Wait()
}

func (c *crowd) count(counts bool) traffic {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.counts = counts
	for _, asked := range c.asked {
		if !counts {
			c.waiting = max(c.waiting, time.Since(asked).Seconds())
		}
	}
	return c.wire.so()
}

// once takes the lock, and comes back when somebody else has it: so as many wait, always.
func (c *crowd) once(ctx context.Context, lock waiter) error {
	c.asks(lock)
	err := lock.Lock(ctx, lease)
	next := c.enters(lock, err == nil)
	if err != nil {
		return err
	}
	time.Sleep(inside)
	c.mu.Lock()
	c.released = time.Now()
	c.mu.Unlock()
	err = lock.Unlock(context.Background())
	select {
	case <-next:
	case <-ctx.Done():
	}
	return err
}

func (c *crowd) asks(lock waiter) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked[lock] = time.Now()
}

// enters returns what is closed when the next one enters.
func (c *crowd) enters(lock waiter, taken bool) (next <-chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	asked := c.asked[lock]
	delete(c.asked, lock)
	if !taken {
		return nil
	}
	if c.counts && !c.released.IsZero() {
		c.handed = append(c.handed, time.Since(c.released).Seconds())
		c.waited = append(c.waited, time.Since(asked).Seconds())
	}
	close(c.taken)
	c.taken = make(chan struct{})
	return c.taken
}

func (c *crowd) result() handoff {
	times, longest, sum := float64(len(c.waited)), 0.0, 0.0
	for _, w := range c.waited {
		longest, sum = max(longest, w), sum+w
	}
	return handoff{c.name, len(c.locks) - 1, seconds(quantile(c.handed, 0.5)), seconds(quantile(c.handed, 0.99)),
		c.traffic, times, max(longest, c.waiting) / (sum / times), c.waiting > longest}
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
