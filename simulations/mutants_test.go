package simulations_test

import (
	"context"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"redislocklab/simulations"
	renewal "redislocklab/stage5_renewal"
)

// Where a scenario holds for every later stage, a lock that is broken on purpose
// shows that the scenario can see. Each of these is stage 5 with one thing spoilt.

type stage5 = renewal.Lock

// silent never tells its holder anything.
type silent struct{ *stage5 }

func (silent) Context() context.Context { return context.Background() }

// late tells its holder as if the lease counted from the reply to a slow request.
type late struct{ *stage5 }

func (l late) Context() context.Context {
	late, cancel := context.WithCancelCause(context.Background())
	context.AfterFunc(l.stage5.Context(), func() {
		time.AfterFunc(800*time.Millisecond, func() { cancel(renewal.ErrLost) })
	})
	return late
}

// patient waits on when its budget is over.
type patient struct{ *stage5 }

func (p patient) Lock(ctx context.Context, ttl time.Duration) error {
	return p.stage5.Lock(context.WithoutCancel(ctx), ttl)
}

// hoarder leaves in time, and keeps what it wins after that.
type hoarder struct{ *stage5 }

func (h hoarder) Lock(ctx context.Context, ttl time.Duration) error {
	done := make(chan error, 1)
	go func() { done <- h.stage5.Lock(context.WithoutCancel(ctx), ttl) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// sleeper polls with a fixed pause: nobody wakes it.
type sleeper struct{ *stage5 }

func (s sleeper) Lock(ctx context.Context, ttl time.Duration) error {
	for {
		if taken, err := s.TryLock(ctx, ttl); taken || err != nil {
			return err
		}
		time.Sleep(4 * time.Second)
	}
}

func TestScenariosSee(t *testing.T) {
	for _, test := range []struct {
		mutant string
		race   string
		breaks simulations.Invariant
		spoil  func(*stage5) simulations.Locker
	}{
		{"silent", "partition", simulations.Told, func(l *stage5) simulations.Locker { return silent{l} }},
		{"late", "partition", simulations.Told, func(l *stage5) simulations.Locker { return late{l} }},
		{"patient", "wait-budget", simulations.BoundedWait, func(l *stage5) simulations.Locker { return patient{l} }},
		{"hoarder", "wait-budget", simulations.BoundedWait, func(l *stage5) simulations.Locker { return hoarder{l} }},
		{"sleeper", "handoff", simulations.BoundedWait, func(l *stage5) simulations.Locker { return sleeper{l} }},
		{"sleeper", "holder-crash", simulations.BoundedWait, func(l *stage5) simulations.Locker { return sleeper{l} }},
	} {
		t.Run(test.mutant+"/"+test.race, func(t *testing.T) {
			report := simulations.Play(t, find(t, test.race), simulations.Subject{
				Name: test.mutant,
				New: func(client redis.UniversalClient, name string) simulations.Locker {
					return test.spoil(renewal.New(client, name))
				},
			})
			require.Equal(t, simulations.Broken, report.Verdict, "\n%s", report)
			require.Equal(t, test.breaks, report.Violation.Invariant)
		})
	}
}

func find(t *testing.T, race string) simulations.Scenario {
	scenario, err := simulations.FindScenario(race, simulations.Scenarios())
	require.NoError(t, err)
	return scenario
}
