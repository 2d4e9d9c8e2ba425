package simulations

import (
	"context"
	"crypto/rand"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"
)

// little is a lock in a few lines, with a fault that no stage has.
type little struct {
	client redis.UniversalClient
	token  string
	again  bool // the last try got an error
	take   func(ctx context.Context, l *little, ttl time.Duration) (bool, error)
	give   func(ctx context.Context, l *little) error
}

func (l *little) TryLock(ctx context.Context, ttl time.Duration) (bool, error) {
	return l.take(ctx, l, ttl)
}
func (l *little) Unlock(ctx context.Context) error { return l.give(ctx, l) }

// littleWaiter polls.
type littleWaiter struct {
	*little
	wait func(ctx context.Context, l *little, ttl time.Duration) error
}

func (l littleWaiter) Lock(ctx context.Context, ttl time.Duration) error {
	return l.wait(ctx, l.little, ttl)
}

const littleKey = "lock:{order}"

var (
	// 1: taken, 2: it was ours already, 0: another's
	takeScript = redis.NewScript(`local owner = redis.call('GET', KEYS[1])
		if owner and owner ~= ARGV[1] then return 0 end
		redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
		return owner and 2 or 1`)
	giveScript = redis.NewScript(`return redis.call('GET', KEYS[1]) == ARGV[1] and redis.call('DEL', KEYS[1]) or 0`)
)

func (l *little) ask(ctx context.Context, ttl time.Duration) (int, error) {
	if l.token == "" {
		l.token = rand.Text()
	}
	n, err := takeScript.Run(ctx, l.client, []string{littleKey}, l.token, ttl.Milliseconds()).Int()
	l.again = err != nil
	return n, err
}

func takeLittle(ctx context.Context, l *little, ttl time.Duration) (bool, error) {
	n, err := l.ask(ctx, ttl)
	return n > 0, err
}

func giveLittle(ctx context.Context, l *little) error {
	return giveScript.Run(context.WithoutCancel(ctx), l.client, []string{littleKey}, l.token).Err()
}

func nap(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// newLittle has every part that is not given as it should be.
func newLittle(l little, wait func(ctx context.Context, l *little, ttl time.Duration) error) Subject {
	return Subject{Name: "little", New: func(client redis.UniversalClient, _ string) Locker {
		l := l
		l.client = client
		if l.take == nil {
			l.take = takeLittle
		}
		if l.give == nil {
			l.give = giveLittle
		}
		if wait == nil {
			return &l
		}
		return littleWaiter{&l, wait}
	}}
}

func TestExplorerSeesLittleFaults(t *testing.T) {
	for name, test := range map[string]struct {
		subject Subject
		bounds  Bounds
		breaks  Invariant
		says    string
	}{
		"a lost reply shuts out who polls with new tokens": {
			newLittle(little{}, func(ctx context.Context, l *little, ttl time.Duration) error {
				for {
					l.token = rand.Text()
					if taken, err := l.client.SetNX(context.WithoutCancel(ctx), littleKey, l.token, ttl).Result(); taken && err == nil {
						return nil
					}
					if err := nap(ctx, 450*time.Millisecond); err != nil {
						return err
					}
				}
			}), Bounds{Actors: 1, Expiries: -1, Faults: 1}, NoOrphan, "its own key",
		},
		"forgets what a second try took": {
			newLittle(little{take: func(ctx context.Context, l *little, ttl time.Duration) (bool, error) {
				again := l.again
				n, err := l.ask(ctx, ttl)
				if again && n == 1 {
					l.token = ""
				}
				return n > 0, err
			}}, nil), Bounds{Actors: 1, Expiries: -1, Faults: 1, Check: []Invariant{NoOrphan}}, NoOrphan, "still there",
		},
		"polls without a pause": {
			newLittle(little{}, func(ctx context.Context, l *little, ttl time.Duration) error {
				for ctx.Err() == nil {
					if taken, err := takeLittle(context.WithoutCancel(ctx), l, ttl); taken || err != nil {
						return err
					}
				}
				return ctx.Err()
			}), Bounds{}, BoundedWait, "without end",
		},
		"an Unlock that does not return": {
			newLittle(little{give: func(ctx context.Context, _ *little) error { <-ctx.Done(); return ctx.Err() }}, nil),
			Bounds{Actors: 1}, OwnerOnly, "does not end",
		},
	} {
		t.Run(name, func(t *testing.T) {
			report := Explore(t, test.subject, test.bounds)
			require.Equal(t, Broken, report.Verdict)
			require.Equal(t, test.breaks, report.Violation.Invariant)
			require.Contains(t, report.Violation.Text, test.says)
		})
	}
}

// What a process has seen must be in the state, whatever kind of reply it was, and also
// what a process left behind when its program was over.
func TestMergingKeepsApartWhatDiffers(t *testing.T) {
	oversleeps := newLittle(little{}, func(ctx context.Context, l *little, ttl time.Duration) error {
		ctx = context.WithoutCancel(ctx)
		if taken, err := takeLittle(ctx, l, ttl); taken || err != nil {
			return err
		}
		seen := l.client.MGet(ctx, littleKey).Val()[0]
		now := l.client.MGet(ctx, littleKey).Val()[0]
		pause := 400 * time.Millisecond
		if seen != nil && now != nil && seen != now {
			pause = 3 * time.Second
		}
		for {
			time.Sleep(pause)
			if taken, err := takeLittle(ctx, l, ttl); taken || err != nil {
				return err
			}
		}
	})
	late := newLittle(little{take: func(ctx context.Context, l *little, ttl time.Duration) (bool, error) {
		n, err := l.ask(ctx, ttl)
		if n == 2 {
			time.AfterFunc(time.Second, func() { l.client.Del(context.Background(), littleKey) })
		}
		return n > 0, err
	}}, nil)
	for name, test := range map[string]struct {
		subject Subject
		bounds  Bounds
	}{
		"lists": {oversleeps, Bounds{Actors: 3, Expiries: -1, Check: []Invariant{BoundedWait}}},
		"late":  {late, Bounds{Faults: 1, Check: []Invariant{nothing}}},
	} {
		merged := Explore(t, test.subject, test.bounds)
		plain := (&explorer{subject: test.subject, bounds: test.bounds.withDefaults(t, test.subject)}).
			explore(t, nil)
		require.Equal(t, plain.Verdict, merged.Verdict, name)
		require.Equal(t, plain.Schedule, merged.Schedule, name)
		if plain.Verdict == Holds {
			require.Equal(t, plain.Runs, merged.Schedules, name)
		}
	}
}

// The lane of B is B's, also where A does not appear.
func TestLanesOfThoseWhoAppear(t *testing.T) {
	left := Replay(t, Stages()[2], Bounds{Actors: 3}, "BAB").Trace.String()
	right := Replay(t, Stages()[2], Bounds{Actors: 3}, "CAC").Trace.String()
	require.Equal(t, strings.Count(left, "|"), strings.Count(right, "|"))
}
