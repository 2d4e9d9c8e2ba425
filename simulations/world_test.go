package simulations_test

import (
	"context"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"redislocklab/simulations"
)

const ttl = 10 * time.Second

// tell plays a story of its own with one of the stages, and returns its timeline.
func tell(t *testing.T, stage int, about simulations.Invariant, story func(*simulations.World)) simulations.Report {
	return simulations.Play(t, simulations.Scenario{Name: t.Name(), About: about, Story: story}, simulations.Stages()[stage-1])
}

// requireTimeline compares what happened, without the head and the spaces between.
func requireTimeline(t *testing.T, want string, got simulations.Trace) {
	t.Helper()
	var lines []string
	for line := range strings.Lines(got.String()) {
		lines = append(lines, strings.Join(strings.Fields(line), " "))
	}
	require.Equal(t, strings.TrimSpace(want), strings.Join(lines[1:], "\n"))
}

func TestGates(t *testing.T) {
	t.Run("a lost request changes nothing in Redis", func(t *testing.T) {
		requireTimeline(t, `
0s SET NX PX 10s GET -> lost -
3s TryLock: no reply -
4s SET NX PX 10s GET -> free A
4s | working A`,
			tell(t, 3, simulations.NoOrphan, func(w *simulations.World) {
				w.A.LoseRequest()
				w.A.TryLock(ttl)
				w.Advance(4 * time.Second)
				w.A.TryLock(ttl)
			}).Trace)
	})
	t.Run("a slow network delays both ways", func(t *testing.T) {
		requireTimeline(t, `
0.4s SET NX PX 10s GET -> free A
0.8s | working A`,
			tell(t, 3, simulations.NoOrphan, func(w *simulations.World) {
				w.A.SlowDown(400 * time.Millisecond)
				w.A.TryLock(ttl)
				w.Advance(time.Second)
			}).Trace)
	})
	t.Run("a dead process does nothing more", func(t *testing.T) {
		requireTimeline(t, `
0s lock.lua -> 0 A
0s | working A
3.333s extend.lua -> 1 A
5s crashes A
13.333s - lease ends`,
			tell(t, 5, simulations.NoOrphan, func(w *simulations.World) {
				w.A.TryLock(ttl)
				w.Advance(5 * time.Second)
				w.A.Kill()
				w.Advance(2 * ttl)
				w.A.Unlock()
			}).Trace)
	})
	for name, event := range map[string]func(*simulations.Actor){"crashes": (*simulations.Actor).Kill, ": stopped": (*simulations.Actor).Stop} {
		t.Run("a request on its way arrives, although its process "+name, func(t *testing.T) {
			requireTimeline(t, `
0.2s `+name+` -
0.4s SET NX PX 10s GET -> free A`,
				tell(t, 3, simulations.NoOrphan, func(w *simulations.World) {
					w.A.SlowDown(400 * time.Millisecond)
					w.A.TryLock(ttl)
					w.Advance(200 * time.Millisecond)
					event(w.A)
					w.Advance(time.Second)
				}).Trace)
		})
	}
	t.Run("who was refused writes nothing", func(t *testing.T) {
		require.NotContains(t, tell(t, 3, simulations.Fenced, func(w *simulations.World) {
			w.A.TryLock(ttl)
			w.B.TryLock(ttl)
			w.B.Write()
		}).String(), "write")
	})
	for stage, want := range map[int]string{2: ": stopped before DEL", 3: ": stopped before a script"} {
		t.Run("a pause strikes before the command that it names"+want, func(t *testing.T) {
			require.Contains(t, tell(t, stage, simulations.OwnerOnly, func(w *simulations.World) {
				w.A.TryLock(ttl)
				w.A.PauseBefore("del")
				w.A.Unlock()
				w.MustOwn(w.A)
			}).String(), want)
		})
	}
	t.Run("a process makes one call at a time", func(t *testing.T) {
		report := tell(t, 4, simulations.BoundedWait, func(w *simulations.World) {
			w.A.TryLock(ttl)
			w.B.Lock(ttl, time.Second)
			w.B.TryLock(ttl)
			w.Advance(2 * time.Second)
		})
		require.Contains(t, report.String(), "(still in Lock)")
		require.Equal(t, simulations.Holds, report.Verdict)
	})
}

// thief takes the lock whoever holds it, and gives it back to nobody.
type thief struct {
	client redis.UniversalClient
	value  int
}

func (th thief) TryLock(ctx context.Context, ttl time.Duration) (bool, error) {
	err := th.client.Set(ctx, "lock:{order}", th.value, ttl).Err()
	return err == nil, err
}

func (thief) Unlock(context.Context) error { return nil }

func TestOverwritingBreaksOwnerOnly(t *testing.T) {
	for _, test := range []struct {
		step int // between the values of two holders
		want string
	}{
		{1, "B overwrote the lock that A holds"},
		{0, "B changed the lease of the lock that A holds"}, // the same value: only the lease tells
	} {
		value := 0
		report := simulations.Play(t, simulations.Scenario{About: simulations.OwnerOnly, Story: func(w *simulations.World) {
			w.A.TryLock(ttl)
			w.Advance(time.Second)
			w.B.TryLock(ttl)
		}}, simulations.Subject{Name: "thief", New: func(client redis.UniversalClient, _ string) simulations.Locker {
			value += test.step
			return thief{client, value}
		}})
		require.Equal(t, simulations.Broken, report.Verdict)
		require.Equal(t, test.want, report.Violation.Text)
	}
}

// No timeline shows a token, and all fit beside an indent in 80 columns.
func TestTimelinesAreReadable(t *testing.T) {
	token := regexp.MustCompile(`[A-Z2-7]{26}`)
	for _, scenario := range simulations.Scenarios() {
		for _, stage := range simulations.Stages() {
			text := simulations.Play(t, scenario, stage).String()
			require.NotRegexp(t, token, text)
			for line := range strings.Lines(text) {
				require.LessOrEqual(t, utf8.RuneCountInString(strings.TrimSuffix(line, "\n")), 78, line)
			}
		}
	}
}

// The replica that takes over has an older lock: the judge knows whose.
func TestAFailoverThatBringsBackAnOldLock(t *testing.T) {
	report := tell(t, 3, simulations.Exclusion, func(w *simulations.World) {
		w.A.TryLock(ttl)
		w.Advance(time.Second)
		w.Redis[0].Detach()
		w.A.Unlock()
		w.B.TryLock(ttl)
		w.Redis[0].Failover()
		w.MustOwn(w.A)
	})
	require.Equal(t, simulations.Holds, report.Verdict, "\n%s", report)
}
