//go:build unix

package realredis_test

import (
	"bufio"
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"redislocklab/simulations/realredis"
	renewal "redislocklab/stage5_renewal"
)

// A process that holds the lock is killed. Its lease ends, and who waits gets in.
func TestAHolderIsKilled(t *testing.T) {
	server := realredis.Start(t)
	p, lines := second(t, server)
	requireLine(t, lines, "in")
	client := server.Client()
	defer client.Close()
	lock := renewal.New(client, "soak")
	waits := make(chan error, 1)
	go func() { waits <- lock.Lock(context.Background(), lease) }()
	time.Sleep(2 * lease)
	require.Empty(t, waits, "it is renewed")
	since := time.Now()
	p()
	requireSoon(t, waits)
	require.Less(t, time.Since(since), 3*lease, "one lease, and a busy machine")
	require.NoError(t, lock.Unlock(context.Background()))
	awaitNoKeys(t, server)
}

// A process that waits is killed. The wake-up goes to the next one at once.
func TestAWaiterIsKilled(t *testing.T) {
	server := realredis.Start(t)
	client, other := server.Client(), server.Client()
	defer client.Close()
	defer other.Close()
	holder, behind := renewal.New(client, "soak"), renewal.New(other, "soak")
	require.NoError(t, holder.Lock(context.Background(), 10*lease)) // so long that nobody asks again by itself
	p, lines := second(t, server)
	requireLine(t, lines, "asks")
	require.Eventually(t, func() bool { return client.LLen(context.Background(), "lock:{soak}:waiters").Val() == 1 }, limit, tick)
	waits := make(chan error, 1)
	go func() { waits <- behind.Lock(context.Background(), lease) }()
	require.Eventually(t, func() bool { return client.LLen(context.Background(), "lock:{soak}:waiters").Val() == 2 }, limit, tick)
	p()
	// The server must have seen that the connection is gone.
	require.Eventually(t, func() bool { return len(client.PubSubChannels(context.Background(), "lock:*").Val()) == 1 }, limit, tick)
	since := time.Now()
	require.NoError(t, holder.Unlock(context.Background()))
	requireSoon(t, waits)
	require.Less(t, time.Since(since), 5*lease, "long before the lease would have woken it")
	require.NoError(t, behind.Unlock(context.Background()))
	awaitNoKeys(t, server)
}

// second starts a process that takes the lock and keeps it; kill ends it.
func second(t *testing.T, server *realredis.Server) (kill func(), lines *bufio.Scanner) {
	read, write, err := os.Pipe()
	require.NoError(t, err)
	t.Cleanup(func() { _ = read.Close(); _ = write.Close() })
	p := launch(t, "locker", server, write, 1, time.Hour)
	return func() { p.kill(write) }, bufio.NewScanner(read)
}

func requireLine(t *testing.T, lines *bufio.Scanner, word string) {
	t.Helper()
	for lines.Scan() {
		if strings.Contains(lines.Text(), " "+word) {
			return
		}
	}
	t.Fatalf("the second process never says %q", word)
}

func requireSoon(t *testing.T, done <-chan error) {
	t.Helper()
	select {
	case err := <-done:
		require.NoError(t, err)
	case <-time.After(limit):
		t.Fatal("nobody was let in")
	}
}
