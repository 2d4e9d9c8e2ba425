package peers

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"redislocklab/simulations"
	"redislocklab/simulations/beyond"
)

// Every cell of the table in README.md, and every excuse is needed.
func TestVerdicts(t *testing.T) {
	written := rows(t)
	for race, cells := range judge(t, "") {
		for i, j := range cells {
			if j.race == "" {
				continue // without redis-server it was not played
			}
			require.Equal(t, written[race][i], j.cell(), "%s on %s\n%s", race, j.column, j.report)
			if j.excuse != nil && !(columns()[i].tracked && race == "failover") { // it goes either way
				require.NotEqual(t, simulations.Holds, j.report.Verdict, "%s on %s needs no excuse", race, j.column)
			}
		}
		require.Equal(t, written[race][len(cells)], redisson[race])
	}
	for i, c := range columns() {
		if report, explored := everyOrder(t, c); explored {
			require.Equal(t, written["every order"][i], string(report.Verdict), c.Name)
			require.Equal(t, written["so many"][i], fmt.Sprint(report.Schedules), c.Name)
		}
	}
}

// rows are the cells of the table of verdicts in README.md, by their row.
func rows(t *testing.T) map[string][]string {
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	_, text, found := strings.Cut(string(readme), "<!-- measured tables -->")
	require.True(t, found)
	return cellsOf(text, "every order", "so many")
}

func cellsOf(text string, spaced ...string) map[string][]string {
	rows := map[string][]string{}
	for line := range strings.Lines(text) {
		for _, name := range spaced {
			line = strings.Replace(line, name, strings.ReplaceAll(name, " ", "_"), 1)
		}
		if words := strings.Fields(line); len(words) > 7 && rows[words[0]] == nil {
			rows[strings.ReplaceAll(words[0], "_", " ")] = words[1:]
		}
	}
	return rows
}

// What the table of features says is what the races show, where one can show it.
func TestFeatures(t *testing.T) {
	_, table, _ := strings.Cut(features, "try ")
	says := cellsOf("try "+table, "wait budget", "loss told", "fencing token", "lost reply", "double release")
	shows := map[string]func(race func(string) simulations.Verdict) bool{
		"wait":          func(race func(string) simulations.Verdict) bool { return race("handoff") != simulations.NotOffered },
		"wait budget":   func(race func(string) simulations.Verdict) bool { return race("wait-budget") == simulations.Holds },
		"loss told":     func(race func(string) simulations.Verdict) bool { return race("partition") == simulations.Holds },
		"fencing token": func(race func(string) simulations.Verdict) bool { return race("stop-the-world") == simulations.Holds },
		"quorum":        func(race func(string) simulations.Verdict) bool { return race("failover") == simulations.Holds },
		"lost reply":    func(race func(string) simulations.Verdict) bool { return race("lost-reply") == simulations.Holds },
	}
	for feature, shown := range shows {
		for i, lock := range beyond.Columns() {
			cell := func(race string) simulations.Verdict { return simulations.Cell(race, i) }
			require.Equal(t, shown(cell), says[feature][i] == "yes", "%s: %s", lock.Name, feature)
		}
		for i, name := range []string{"redislock*", "redsync*3", "rueidislock'"} {
			cell := func(race string) simulations.Verdict {
				scenario, err := simulations.FindScenario(race, simulations.Scenarios())
				require.NoError(t, err)
				return find(t, name).play(t, scenario).Verdict
			}
			require.Equal(t, shown(cell), says[feature][7+i] == "yes", "%s: %s", name, feature)
		}
	}
	for _, cells := range says {
		require.Len(t, cells, 11)
	}
}

func find(t *testing.T, name string) column {
	for _, c := range columns() {
		if c.Name == name {
			return c
		}
	}
	t.Fatal(name)
	return column{}
}

func TestCancelAndDoubleRelease(t *testing.T) {
	says := cellsOf(features, "double release")
	for i, subject := range append(beyond.Columns()[:6], find(t, "redislock*").Subject, find(t, "redsync*").Subject, find(t, "rueidislock'").Subject) {
		if i > 5 {
			i++ // the quorum has a test of its own
		}
		t.Run(subject.Name, func(t *testing.T) {
			simulations.InBubble(t, func(t *testing.T, connect func() redis.UniversalClient) {
				client := connect()
				wire := simulations.NewWire(t, client)
				lock := one(subject, client)
				taken, err := lock.TryLock(t.Context(), 10*time.Second)
				require.NoError(t, err)
				require.True(t, taken)
				require.NoError(t, lock.Unlock(t.Context()))
				require.Equal(t, says["double release"][i] == "yes", lock.Unlock(t.Context()) != nil, "double release")

				ctx, cancel := context.WithCancel(t.Context())
				stop, since := wire.HoldReply(), time.Now()
				time.AfterFunc(time.Second, cancel)
				time.AfterFunc(2*time.Second, stop.Go)
				_, err = lock.TryLock(ctx, 10*time.Second)
				atOnce := err != nil && time.Since(since) <= time.Second
				time.Sleep(3 * time.Second)
				none := client.Exists(context.Background(), "lock:{order}", "rueidislock:0:{order}").Val() == 0
				require.Equal(t, says["cancel"][i] == "yes", atOnce && none, "cancel")
			})
		})
	}
}

func one(s simulations.Subject, client redis.UniversalClient) simulations.Locker {
	if s.NewOn != nil {
		return s.NewOn([]redis.UniversalClient{client}, "order")
	}
	return s.New(client, "order")
}

// The places that findings and excuses name say what they are named for.
func TestPlaces(t *testing.T) {
	for _, place := range []struct {
		module, file string
		line         int
		says         string
	}{
		{"github.com/bsm/redislock", "redislock.go", 25, "getrange"},
		{"github.com/bsm/redislock", "redislock.go", 60, `if token == ""`},
		{"github.com/bsm/redislock", "redislock.go", 80, "c.obtain(ctx"},
		{"github.com/bsm/redislock", "redislock.go", 214, "do not retry"},
		{"github.com/bsm/redislock", "redislock.go", 222, "Token string"},
		{"github.com/go-redsync/redsync/v4", "redsync.go", 75, "number of times"},
		{"github.com/go-redsync/redsync/v4", "mutex.go", 49, "validity"},
		{"github.com/go-redsync/redsync/v4", "mutex.go", 125, "m.release"},
		{"github.com/redis/rueidis", "rueidislock/lock.go", 260, "ctx.Deadline()"},
		{"github.com/redis/rueidis", "rueidislock/lock.go", 183, "deadline"},
		{"github.com/redis/rueidis", "rueidislock/lock.go", 215, "messages == nil"},
		{"github.com/redis/rueidis", "rueidislock/lock.go", 293, "delkey"},
		{"github.com/redis/rueidis", "rueidislock/lock.go", 296, "cancel()"},
		{"github.com/redis/rueidis", "rueidislock/lock.go", 359, "<-done"},
	} {
		dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", place.module).Output()
		require.NoError(t, err)
		text, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), place.file))
		require.NoError(t, err)
		require.Contains(t, strings.Split(string(text), "\n")[place.line-1], place.says, "%s:%d", place.file, place.line)
	}
}

// What is printed fits a terminal of 80 columns; an address does not have to.
func TestEverythingFitsTheScreen(t *testing.T) {
	for line := range strings.Lines(header + legend + notOfferedBy() + findings + features + featureNotes) {
		require.True(t, len(strings.TrimSuffix(line, "\n")) <= 80 || strings.Contains(line, "https://"), line)
	}
}
