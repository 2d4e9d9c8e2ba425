//go:build unix

package realredis_test

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
	"github.com/stretchr/testify/require"

	"redislocklab/simulations"
	"redislocklab/simulations/beyond"
	"redislocklab/simulations/beyond/fenced"
	"redislocklab/simulations/realredis"
	setnx "redislocklab/stage1_setnx"
	ownertoken "redislocklab/stage2_owner_token"
	lua "redislocklab/stage3_lua"
	blocking "redislocklab/stage4_blocking"
	renewal "redislocklab/stage5_renewal"
)

// errorsOf are those of each column of the staircase; the quorum needs more servers.
var errorsOf = []simulations.Errors{
	{NotHeld: setnx.ErrNotHeld, Held: setnx.ErrHeld, Busy: setnx.ErrBusy, Invalid: setnx.ErrInvalid},
	{NotHeld: ownertoken.ErrNotHeld, Held: ownertoken.ErrHeld, Busy: ownertoken.ErrBusy, Invalid: ownertoken.ErrInvalid},
	{NotHeld: lua.ErrNotHeld, Held: lua.ErrHeld, Busy: lua.ErrBusy, Invalid: lua.ErrInvalid},
	{NotHeld: blocking.ErrNotHeld, Held: blocking.ErrHeld, Busy: blocking.ErrBusy, Invalid: blocking.ErrInvalid},
	{NotHeld: renewal.ErrNotHeld, Held: renewal.ErrHeld, Busy: renewal.ErrBusy, Invalid: renewal.ErrInvalid, Lost: renewal.ErrLost},
	{NotHeld: fenced.ErrNotHeld, Held: fenced.ErrHeld, Busy: fenced.ErrBusy, Invalid: fenced.ErrInvalid, Lost: fenced.ErrLost},
}

// contract tests every lock. The first client of a rule looks on from outside.
func contract(t *testing.T, outside, client func() redis.UniversalClient) {
	contractOf(t, len(errorsOf), outside, client)
}

// contractOf tests the first n.
func contractOf(t *testing.T, n int, outside, client func() redis.UniversalClient) {
	for i, errs := range errorsOf[:n] {
		subject := beyond.Columns()[i]
		t.Run(subject.Name, func(t *testing.T) {
			simulations.Contract(t, subject, errs, func(t *testing.T, test func(*testing.T, func() redis.UniversalClient)) {
				next := outside
				test(t, func() redis.UniversalClient {
					c := next()
					next = client
					t.Cleanup(func() { _ = c.Close() })
					return c
				})
			})
		})
	}
}

func TestContractOnASingleNode(t *testing.T) {
	t.Parallel()
	s := realredis.Start(t)
	contract(t, real(s).Connect, real(s).Connect)
}

func TestContractOnACluster(t *testing.T) {
	t.Parallel()
	c := realredis.StartCluster(t, false)
	contract(t, c.Client, c.Client)
}

func TestContractWithSentinel(t *testing.T) {
	t.Parallel()
	s := realredis.StartSentinel(t)
	contract(t, s.Client, s.Client)
}

// rights are those that README.md names.
func rights(t *testing.T) string {
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	require.NoError(t, err)
	line := regexp.MustCompile(`(?m)^    ACL SETUSER locker on >password (.*)$`).FindSubmatch(readme)
	require.NotNil(t, line, "README.md has the line")
	return string(line[1])
}

func TestContractWithFewRights(t *testing.T) {
	t.Parallel()
	withRights(t, rights(t), len(errorsOf))
}

func TestStagesThatDoNotWaitNeedLess(t *testing.T) {
	t.Parallel()
	withRights(t, "~lock:* +get +set +del +eval +evalsha", 3)
}

// withRights tests the first n locks as a user with these rights, and that they need no
// other.
func withRights(t *testing.T, rights string, n int) {
	s := realredis.Start(t)
	admin := s.Client()
	defer admin.Close()
	letIn(t, admin, rights)
	locker := func() redis.UniversalClient {
		return redis.NewClient(&redis.Options{Addr: s.Addr(), Username: "locker", Password: "password", MaxRetries: -1, DisableIdentity: true})
	}
	few := locker()
	defer few.Close()
	for _, forbidden := range [][]any{{"FLUSHALL"}, {"SET", "other", "1"}, {"GET", "other"}, {"KEYS", "*"}, {"PUBLISH", "other", ""}, {"CONFIG", "GET", "*"}} {
		require.ErrorContains(t, few.Do(t.Context(), forbidden...).Err(), "NOPERM", "%v", forbidden)
	}
	require.NoError(t, admin.Do(t.Context(), "ACL", "LOG", "RESET").Err())
	contractOf(t, n, real(s).Connect, locker)
	requireNothingRefused(t, admin)
}

// On a Cluster the client has to find its way.
func TestAClusterNeedsTwoRightsMore(t *testing.T) {
	t.Parallel()
	c := realredis.StartCluster(t, false)
	for _, s := range c.Primaries {
		admin := s.Client()
		defer admin.Close()
		letIn(t, admin, rights(t)+" +cluster|slots +command")
		defer requireNothingRefused(t, admin)
	}
	locker := func() redis.UniversalClient {
		return redis.NewClusterClient(&redis.ClusterOptions{Addrs: []string{c.Primaries[0].Addr()},
			Username: "locker", Password: "password", DisableIdentity: true,
			MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}})
	}
	a, b := locker(), locker()
	defer a.Close()
	defer b.Close()
	for _, name := range []string{"one", "two", "three", "four", "five"} { // on all nodes
		holder, waiter := renewal.New(a, name), renewal.New(b, name)
		require.NoError(t, holder.Lock(t.Context(), lease))
		waits := make(chan error, 1)
		go func() { waits <- waiter.Lock(t.Context(), lease) }()
		time.Sleep(lease / 2)
		require.NoError(t, holder.Context().Err())
		require.NoError(t, holder.Unlock(t.Context()))
		require.NoError(t, <-waits)
		require.NoError(t, waiter.Unlock(t.Context()))
	}
}

func letIn(t *testing.T, admin *redis.Client, rights string) {
	command := []any{"ACL", "SETUSER", "locker", "on", ">password"}
	for _, right := range strings.Fields(rights) {
		command = append(command, right)
	}
	require.NoError(t, admin.Do(t.Context(), command...).Err())
}

func requireNothingRefused(t *testing.T, admin *redis.Client) {
	require.Empty(t, admin.Do(context.Background(), "ACL", "LOG").Val())
}
