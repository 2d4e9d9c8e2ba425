//go:build unix

package realredis_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"redislocklab/simulations"
	"redislocklab/simulations/realredis"
)

const password = "s3cret/w0rd"

// theirs is a server of somebody's own, with a password and with keys that are none of
// our business.
func theirs(t *testing.T) (url string, look *redis.Client) {
	s := realredis.StartWith(t, redis.Options{Password: password, DB: 3}, "--requirepass", password)
	look = s.Client()
	t.Cleanup(func() { _ = look.Close() })
	for _, key := range []string{"lock:{order}", "lock:{lab-order}", "theirs"} {
		require.NoError(t, look.Set(t.Context(), key, "untouched", 0).Err())
	}
	return fmt.Sprintf("redis://:%s@%s/3", strings.ReplaceAll(password, "/", "%2F"), s.Addr()), look
}

func requireUntouched(t *testing.T, look *redis.Client) {
	t.Helper()
	keys, err := simulations.KeysOf(look, "*")
	require.NoError(t, err)
	require.Len(t, keys, 3, "ours are gone, and theirs are not")
	for _, key := range keys {
		require.Equal(t, "untouched", look.Get(t.Context(), key).Val())
	}
	require.NotContains(t, look.Info(t.Context(), "commandstats").Val(), "flush")
}

// racing is make race on the server at url.
func racing(ctx context.Context, t *testing.T, url, race, lock string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "go", "test", "-count=1", "-v", "-run", "^TestRace$", "redislocklab/simulations", "-args", "-race", race, "-stage", lock)
	cmd.Env = append(os.Environ(), "REDIS_URL="+url)
	return cmd
}

func TestRacesOnAServerOfOnesOwn(t *testing.T) {
	url, look := theirs(t)
	for _, test := range []struct{ race, lock, says string }{
		{"lost-reply", "1", "BROKEN"},
		{"lost-reply", "fenced", "holds"},
		{"crash-before-expire", "article2/setnx-expire", "BROKEN"}, // leaves a key without a TTL
		{"failover", "1", "servers of its own"},
	} {
		said, _ := racing(t.Context(), t, url, test.race, test.lock).CombinedOutput()
		require.Contains(t, string(said), test.says)
		require.NotContains(t, string(said), "s3cret")
		requireUntouched(t, look)
	}
}

// A server that refuses what a story needs is no broken lock.
func TestAServerThatRefusesIsNoVerdict(t *testing.T) {
	url, look := theirs(t)
	for refuses, says := range map[string][]any{
		"OOM":      {"CONFIG", "SET", "maxmemory", "1"},
		"READONLY": {"REPLICAOF", "127.0.0.1", "1"},
	} {
		require.NoError(t, look.Do(t.Context(), says...).Err())
		said, err := racing(t.Context(), t, url, "gc-pause", "3").CombinedOutput()
		require.Error(t, err)
		require.Contains(t, string(said), "REDIS_URL: "+refuses)
		require.NotContains(t, string(said), "BROKEN")
		require.NoError(t, look.ConfigSet(t.Context(), "maxmemory", "0").Err())
		require.NoError(t, look.Do(t.Context(), "REPLICAOF", "NO", "ONE").Err())
		requireUntouched(t, look)
	}
}

// Nor is one that refuses a command in the middle of a story.
func TestARefusalInAStoryIsNoVerdict(t *testing.T) {
	t.Parallel()
	url, look := theirs(t)
	few := "ACL SETUSER few on >password +time +dump +pexpiretime +select " + rights(t)
	url = strings.Replace(url, "redis://:"+strings.ReplaceAll(password, "/", "%2F"), "redis://few:password", 1)
	for _, test := range []struct{ right, race, lock, says string }{
		{"+time", "gc-pause", "article2/setnx-expire", "the server refuses SETNX: NOPERM"},
		{"-get", "gc-pause", "3", "the server refuses EVAL: NOPERM"},
		{"-incr", "stop-the-world", "fenced", "the server refuses EVAL: NOPERM"},
		{"-subscribe", "handoff", "4", "REDIS_URL: NOPERM"},
		{"resetchannels", "handoff", "5", "REDIS_URL: NOPERM"},
	} {
		var words []any
		for _, word := range strings.Fields(few + " " + test.right) {
			words = append(words, word)
		}
		require.NoError(t, look.Do(t.Context(), words...).Err())
		said, err := racing(t.Context(), t, url, test.race, test.lock).CombinedOutput()
		require.Error(t, err)
		require.Contains(t, string(said), test.says)
		require.NotContains(t, string(said), "BROKEN")
		require.NoError(t, look.Do(t.Context(), "ACL", "DELUSER", "few").Err())
		requireUntouched(t, look)
	}
}

// A server that stands still for longer than a lease makes no verdict: the story is told
// again.
func TestAServerThatIsTooSlowForAStory(t *testing.T) {
	t.Parallel()
	url, look := theirs(t)
	cmd := racing(t.Context(), t, url, "misdelete", "2")
	said := new(strings.Builder)
	cmd.Stdout, cmd.Stderr = said, said
	require.NoError(t, cmd.Start())
	awaitKeys(t, look, 4)
	require.NoError(t, look.Do(t.Context(), "CLIENT", "PAUSE", "2500").Err())
	require.NoError(t, cmd.Wait(), said)
	require.Contains(t, said.String(), "holds")
	requireUntouched(t, look)
}

// Ctrl-C or a closed terminal in the middle of a story leaves nothing behind: neither a
// key without a TTL, nor a counter that never ends.
func TestAnInterruptedRaceCleansUp(t *testing.T) {
	url, look := theirs(t)
	for _, end := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		for race, lock := range map[string]string{"crash-before-expire": "article2/setnx-expire", "stop-the-world": "fenced"} {
			cmd := racing(t.Context(), t, url, race, lock)
			cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
			require.NoError(t, cmd.Start())
			awaitKeys(t, look, 4)
			require.NoError(t, syscall.Kill(-cmd.Process.Pid, end))
			require.Error(t, cmd.Wait())
			require.Eventually(t, func() bool { return look.DBSize(context.Background()).Val() == 3 }, limit, tick)
			requireUntouched(t, look)
		}
	}
}

// awaitKeys counts them without looking at them.
func awaitKeys(t *testing.T, look *redis.Client, n int64) {
	require.Eventually(t, func() bool { return look.DBSize(context.Background()).Val() >= n }, limit, tick)
}
