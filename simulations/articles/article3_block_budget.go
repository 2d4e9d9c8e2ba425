package articles

import (
	"context"
	"math"
	"time"
)

// blockBudget is article 3, the lock that waits for so many milliseconds. The fault:
// the budget pays for the sleeps only, so that each call to Redis comes on top; it
// buys one try too many, and the last sleep has no try after it.
type blockBudget struct{ try }

// Lock takes its budget from the deadline of ctx, once, and then looks at ctx no more.
func (l *blockBudget) Lock(ctx context.Context, ttl time.Duration) error {
	for left := budget(ctx); left >= 0; left -= pause {
		if taken, err := l.TryLock(ctx, ttl); taken || err != nil {
			return err
		}
		time.Sleep(pause)
	}
	return context.DeadlineExceeded
}

// budget is in whole milliseconds, and at most what a Java int can hold.
func budget(ctx context.Context) time.Duration {
	const longest = math.MaxInt32 * time.Millisecond
	if deadline, ok := ctx.Deadline(); ok {
		return min(time.Until(deadline).Round(time.Millisecond), longest)
	}
	return longest
}
