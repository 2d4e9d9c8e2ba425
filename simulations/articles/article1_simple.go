package articles

import (
	"context"
	"strconv"
	"time"
)

// mainThread is the id of the thread that a process starts with, in every process.
const mainThread = 1

// simple is article 1, part 1: SET NX EX with the thread's id as the value, and a
// plain DEL. The fault: the DEL does not ask whose lock it is, and the value could
// not tell, since every process has a thread 1.
type simple struct {
	listing
	thread int
}

func (l *simple) TryLock(ctx context.Context, ttl time.Duration) (bool, error) {
	return l.setNXEX(deaf(ctx), strconv.Itoa(l.thread), ttl)
}

func (l *simple) Unlock(ctx context.Context) error {
	return l.client.Del(deaf(ctx), l.key).Err()
}
