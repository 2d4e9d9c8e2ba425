package simulations_test

import (
	"context"
	"crypto/rand"
	"errors"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"redislocklab/simulations"
)

// toy is a lock in two functions, for faults that are quicker to write down than to
// plant in a stage.
type toy struct {
	client  redis.UniversalClient
	token   string
	take    func(ctx context.Context, l *toy, ttl time.Duration) (bool, error)
	release func(ctx context.Context, l *toy) error
}

const key = "lock:{order}"

func (l *toy) TryLock(ctx context.Context, ttl time.Duration) (bool, error) {
	l.token = rand.Text()
	return l.take(ctx, l, ttl)
}

func (l *toy) Unlock(ctx context.Context) error { return l.release(ctx, l) }

func setNX(ctx context.Context, l *toy, ttl time.Duration) (bool, error) {
	return l.client.SetNX(ctx, key, l.token, ttl).Result()
}

func compareAndDelete(ctx context.Context, l *toy) error {
	return l.client.Eval(ctx, `return redis.call('GET', KEYS[1]) == ARGV[1] and redis.call('DEL', KEYS[1])`,
		[]string{key}, l.token).Err()
}

func set(ctx context.Context, l *toy, ttl time.Duration) (bool, error) {
	err := l.client.Set(ctx, key, l.token, ttl).Err()
	return err == nil, err
}

func existsThenSetNX(ctx context.Context, l *toy, ttl time.Duration) (bool, error) {
	if n, err := l.client.Exists(ctx, key).Result(); err != nil || n == 1 {
		return false, err
	}
	if taken, err := l.client.SetNX(ctx, key, l.token, 0).Result(); err != nil || !taken {
		return false, err
	}
	err := l.client.PExpire(ctx, key, ttl).Err()
	return err == nil, err
}

func ignoreTheError(ctx context.Context, l *toy, ttl time.Duration) (bool, error) {
	return l.client.SetNX(ctx, key, l.token, ttl).Val(), nil
}

func getThenUnlink(ctx context.Context, l *toy) error {
	if l.client.Get(ctx, key).Val() != l.token {
		return nil
	}
	return l.client.Unlink(ctx, key).Err()
}

func twoScripts(ctx context.Context, l *toy) error {
	mine, err := l.client.Eval(ctx, `return redis.call('GET', KEYS[1]) == ARGV[1]`, []string{key}, l.token).Bool()
	if errors.Is(err, redis.Nil) || !mine {
		return nil
	}
	return l.client.Eval(ctx, `return redis.call('DEL', KEYS[1])`, []string{key}).Err()
}

func expireNow(ctx context.Context, l *toy) error {
	if l.client.Get(ctx, key).Val() != l.token {
		return nil
	}
	return l.client.PExpire(ctx, key, 0).Err()
}

func TestScenariosSeeToys(t *testing.T) {
	for _, test := range []struct {
		name    string
		race    string
		want    simulations.Verdict
		take    func(context.Context, *toy, time.Duration) (bool, error)
		release func(context.Context, *toy) error
	}{
		{"sound", "crash-before-expire", simulations.Holds, setNX, compareAndDelete},
		{"sound", "misdelete", simulations.Holds, setNX, compareAndDelete},
		{"sound", "gc-pause", simulations.Holds, setNX, compareAndDelete},
		{"without NX", "misdelete", simulations.Broken, set, compareAndDelete},
		{"a crash between its commands", "crash-before-expire", simulations.Broken, existsThenSetNX, compareAndDelete},
		{"a reply lost between its commands", "lost-reply", simulations.Broken, existsThenSetNX, compareAndDelete},
		{"an error taken for a no", "lost-reply", simulations.Broken, ignoreTheError, compareAndDelete},
		{"get, then unlink", "gc-pause", simulations.Broken, setNX, getThenUnlink},
		{"get, then expire now", "gc-pause", simulations.Broken, setNX, expireNow},
		{"compare and delete in two scripts", "gc-pause", simulations.Broken, setNX, twoScripts},
	} {
		t.Run(test.name+"/"+test.race, func(t *testing.T) {
			report := simulations.Play(t, find(t, test.race), simulations.Subject{
				Name: test.name,
				New: func(client redis.UniversalClient, _ string) simulations.Locker {
					return &toy{client: client, take: test.take, release: test.release}
				},
			})
			require.Equal(t, test.want, report.Verdict, "\n%s", report)
		})
	}
}

// Only the reply that is lost is lost: to the commands before it the lock sees what
// Redis said.
func TestOnlyTheLostReplyIsLost(t *testing.T) {
	var seen []int64
	count := func(ctx context.Context, l *toy, ttl time.Duration) (bool, error) {
		n, err := l.client.Incr(ctx, "fence").Result()
		if err != nil {
			return false, err
		}
		seen = append(seen, n)
		return setNX(ctx, l, ttl)
	}
	simulations.Play(t, find(t, "lost-reply"), simulations.Subject{
		Name: "counting",
		New: func(client redis.UniversalClient, _ string) simulations.Locker {
			return &toy{client: client, take: count, release: compareAndDelete}
		},
	})
	require.NotEmpty(t, seen)
	require.NotContains(t, seen, int64(0), "no INCR answers 0")
}

// constant says the same to everybody, and sends nothing.
type constant bool

func (c constant) TryLock(context.Context, time.Duration) (bool, error) { return bool(c), nil }
func (c constant) Unlock(context.Context) error                         { return nil }
func (c constant) Lock(context.Context, time.Duration) error            { return nil }

// No story may hold for want of anything happening in it.
func TestALockThatDoesNothingHoldsNowhere(t *testing.T) {
	for _, scenario := range simulations.Scenarios() {
		for _, answer := range []constant{true, false} {
			report := simulations.Play(t, scenario, simulations.Subject{
				Name: "constant",
				New:  func(redis.UniversalClient, string) simulations.Locker { return answer },
			})
			require.Equal(t, simulations.Broken, report.Verdict, "%s, %v\n%s", scenario.Name, answer, report)
		}
	}
}

// A lock whose release does nothing, or fails, must not hold in the race of releases.
func TestAReleaseThatDoesNothingIsBroken(t *testing.T) {
	for name, release := range map[string]func(context.Context, *toy) error{
		"nothing": func(context.Context, *toy) error { return nil },
		"not Lua": func(ctx context.Context, l *toy) error {
			return l.client.Eval(ctx, `retrn redis.call('DEL', KEYS[1])`, []string{key}).Err()
		},
	} {
		report := simulations.Play(t, find(t, "gc-pause"), simulations.Subject{
			Name: name,
			New: func(client redis.UniversalClient, _ string) simulations.Locker {
				return &toy{client: client, take: setNX, release: release}
			},
		})
		require.Equal(t, simulations.Broken, report.Verdict, "\n%s", report)
	}
}

// A lock that asks without end and without a pause gets a verdict, and stops nobody.
func TestAnEndlessLoopIsBroken(t *testing.T) {
	busy := func(ctx context.Context, l *toy, ttl time.Duration) (bool, error) {
		for {
			if taken, err := setNX(ctx, l, ttl); taken || err != nil {
				return taken, err
			}
		}
	}
	report := simulations.Play(t, find(t, "misdelete"), simulations.Subject{
		Name: "busy",
		New: func(client redis.UniversalClient, _ string) simulations.Locker {
			return &toy{client: client, take: busy, release: compareAndDelete}
		},
	})
	require.Equal(t, simulations.Broken, report.Verdict)
	require.Contains(t, report.Violation.Text, "without a pause")
}

// A hash lock with a queue beside it is as good as any: only its own key is judged.
func TestALockMayBeAHash(t *testing.T) {
	acquire := `if redis.call('EXISTS', KEYS[1]) == 0 then
		redis.call('HSET', KEYS[1], ARGV[1], 1)
		return redis.call('PEXPIRE', KEYS[1], ARGV[2])
	end
	redis.call('RPUSH', KEYS[1] .. ':queue', ARGV[1])
	return 0`
	release := `return redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1 and redis.call('DEL', KEYS[1])`
	hash := simulations.Subject{Name: "hash", New: func(client redis.UniversalClient, _ string) simulations.Locker {
		return &toy{
			client: client,
			take: func(ctx context.Context, l *toy, ttl time.Duration) (bool, error) {
				return l.client.Eval(ctx, acquire, []string{key}, l.token, ttl.Milliseconds()).Bool()
			},
			release: func(ctx context.Context, l *toy) error {
				return l.client.Eval(ctx, release, []string{key}, l.token).Err()
			},
		}
	}}
	for _, race := range []string{"crash-before-expire", "misdelete", "gc-pause"} {
		report := simulations.Play(t, find(t, race), hash)
		require.Equal(t, simulations.Holds, report.Verdict, "\n%s", report)
	}
}
