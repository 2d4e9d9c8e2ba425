package simulations

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/redis/go-redis/v9"
)

// nothing is an invariant that no judge finds broken: with it, an exploration goes to
// its end although the lock breaks.
const nothing Invariant = "nothing"

// BenchmarkExplore says how fast an exploration is, to its end, and how many of its
// schedules need not be played because states merge.
func BenchmarkExplore(b *testing.B) {
	for _, bench := range []struct {
		name   string
		stages []Subject
		bounds Bounds
	}{
		{"stages-1-to-3", Stages()[:3], Bounds{Actors: 3, Expiries: 2, Check: []Invariant{nothing}}},
		{"stages-1-to-3", Stages()[:3], Bounds{Actors: 3, Expiries: 2, Faults: 1, Check: []Invariant{nothing}}},
		{"stage-4", Stages()[3:4], Bounds{Actors: 2, Expiries: 2, Faults: 1}},
		{"stage-5", Stages()[4:], Bounds{Actors: 2, Expiries: 2, Faults: 1}},
	} {
		name := fmt.Sprintf("%s/actors=%d/expiries=%d/faults=%d", bench.name, bench.bounds.Actors, bench.bounds.Expiries, bench.bounds.Faults)
		b.Run(name, func(b *testing.B) {
			var schedules, states, runs, commands int
			for b.Loop() {
				for _, subject := range bench.stages {
					asTest(b, func(t *testing.T) {
						e := &explorer{subject: subject, bounds: bench.bounds.withDefaults(t, subject), merge: true, alike: true}
						report := e.explore(t, nil)
						if report.Verdict != Holds {
							t.Errorf("%s\n%s", report.Schedule, report)
						}
						schedules += report.Schedules
						states += report.States
						runs += report.Runs
						commands += e.commands
					})
				}
			}
			perSecond(b, schedules, "schedules")
			perSecond(b, states, "states")
			perSecond(b, commands, "commands")
			b.ReportMetric(100*(1-float64(runs)/float64(schedules)), "%saved")
		})
	}
}

// BenchmarkFloor is what cannot be saved: an embedded Redis for every story, two
// connections, and as many scripts as a story of stage 5 has commands.
func BenchmarkFloor(b *testing.B) {
	const stories, scripts = 1000, 12
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // as Explore does
	acquire := redis.NewScript(`if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return 0 end
		return redis.call('PTTL', KEYS[1])`)
	story := func(t *testing.T) {
		server := newEmbedded()
		defer server.close()
		for range 2 {
			client := server.connect()
			for range scripts / 2 {
				if err := acquire.Run(context.Background(), client, []string{"lock"}, "token", time.Minute.Milliseconds()).Err(); err != nil {
					t.Error(err)
				}
			}
			_ = client.Close()
		}
	}
	for b.Loop() {
		asTest(b, func(t *testing.T) {
			var workers sync.WaitGroup
			for range 2 {
				workers.Go(func() {
					t.Run("worker", func(t *testing.T) {
						for range stories / 2 {
							synctest.Test(t, story)
						}
					})
				})
			}
			workers.Wait()
		})
	}
	perSecond(b, b.N*stories*scripts, "commands")
}

func perSecond(b *testing.B, n int, what string) {
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), what+"/s")
}

// asTest runs f as a test, because synctest knows no benchmarks.
func asTest(b *testing.B, f func(*testing.T)) {
	all := func(string, string) (bool, error) { return true, nil }
	if !testing.RunTests(all, []testing.InternalTest{{Name: b.Name(), F: f}}) {
		b.Fail()
	}
}
