package articles

import (
	"context"
	"time"
)

// pause is how long a waiter sleeps between two tries. The article names the constant
// and does not give its value.
const pause = 100 * time.Millisecond

// blockForever is article 3, the lock that waits: it tries, sleeps, and tries again.
// The fault: only the lock itself, or an error of Redis, ends the wait; nothing that
// the caller passes in does. And all who wait sleep equally long, so they stay in step.
//
// Java can interrupt the sleeping thread from outside. Go has nothing like it.
type blockForever struct{ try }

func (l *blockForever) Lock(ctx context.Context, ttl time.Duration) error {
	for {
		if taken, err := l.TryLock(ctx, ttl); taken || err != nil {
			return err
		}
		time.Sleep(pause)
	}
}
