package peers

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/redis/go-redis/v9"

	"redislocklab/simulations"
)

// header names the columns of the table of verdicts.
const header = `                    redis- redis- red-   red-   redsync rueidis rueidis Redis-
                    lock   lock*  sync   sync*  *3      -lock'  -lock   son**
`

const legend = `*  with settings that a careful user would choose; redsync*3 on three servers.
'  without client tracking, so that it can be simulated.
** from its source, not measured: it runs on Java.
?  not played: redis-server is not installed.
-  not offered, see below. Every order is that of two processes that ask once,
   work and unlock, with one lease that ends; judged is owner-only. Several
   commands at once have too many, and only simulated ones can be tried.
`

// redisson is read from its source, and not measured: it runs on Java.
var redisson = map[string]string{
	"crash-before-expire": "holds",
	"misdelete":           "holds",
	"gc-pause":            "holds",
	"handoff":             "holds",
	"wait-budget":         "BROKEN",
	"holder-crash":        "holds",
	"lost-reply":          "BROKEN",
	"overrun":             "holds",
	"partition":           "-",
	"stop-the-world":      "-",
	"failover":            "-",
}

// judged is one cell of the table.
type judged struct {
	column, race string
	report       simulations.Report
	excuse       *excuse
}

// cell is what the table says: a lost race that a library does not offer to win counts as
// not offered.
func (j judged) cell() string {
	if j.race == "" {
		return "?"
	}
	if j.excuse != nil || j.report.Verdict == simulations.NotOffered {
		return notOffered
	}
	return string(j.report.Verdict)
}

const notOffered = "-"

// judge plays every race on every library, or only one race. Those on servers that run
// are played side by side, because they take real time.
func judge(t *testing.T, only string) (table map[string][]judged) {
	var mu sync.Mutex
	table = map[string][]judged{}
	t.Run("races", func(t *testing.T) {
		for _, s := range simulations.Scenarios() {
			if only != "" && only != s.Name {
				continue
			}
			table[s.Name] = make([]judged, len(columns()))
			for i, c := range columns() {
				t.Run(c.Name+"/"+s.Name, func(t *testing.T) {
					if c.tracked {
						t.Parallel()
					}
					report := c.play(t, s)
					mu.Lock()
					defer mu.Unlock()
					table[s.Name][i] = judged{c.Name, s.Name, report, excused(c.Name, s.Name)}
				})
			}
		}
	})
	return table
}

// everyOrder explores two processes that ask once, work and unlock, with one lease that
// ends. What sends several commands at once has too many orders.
func everyOrder(t *testing.T, c column) (report simulations.Report, explored bool) {
	if c.tracked || c.Nodes > 1 {
		return report, false
	}
	if make := c.New; make != nil {
		c.New = func(client redis.UniversalClient, name string) simulations.Locker {
			return asksOnce{make(client, name)}
		}
	}
	if make := c.NewOn; make != nil {
		c.NewOn = func(clients []redis.UniversalClient, name string) simulations.Locker {
			return asksOnce{make(clients, name)}
		}
	}
	bounds := simulations.Bounds{Actors: 2, Expiries: 1, Check: []simulations.Invariant{simulations.OwnerOnly}}
	return simulations.Explore(t, c.Subject, bounds), true
}

// asksOnce hides that one can wait for a lock.
type asksOnce struct{ simulations.Locker }

// draw draws the table for a terminal.
func draw(t *testing.T, table map[string][]judged) string {
	text := header
	for _, s := range simulations.Scenarios() {
		var cells []string
		for _, j := range table[s.Name] {
			cells = append(cells, j.cell())
		}
		text += row(s.Name, append(cells, redisson[s.Name]))
	}
	var orders, schedules []string
	for _, c := range columns() {
		report, explored := everyOrder(t, c)
		if !explored {
			orders, schedules = append(orders, notOffered), append(schedules, notOffered)
			continue
		}
		orders, schedules = append(orders, string(report.Verdict)), append(schedules, fmt.Sprint(report.Schedules))
	}
	return text + row("every order", append(orders, notOffered)) + row("  so many", append(schedules, notOffered))
}

func row(name string, cells []string) string {
	line := fmt.Sprintf("%-19s", name)
	for i, cell := range cells {
		line += fmt.Sprintf(" %-*s", []int{6, 6, 6, 6, 7, 7, 7, 6}[i], cell)
	}
	return strings.TrimRight(line, " ") + "\n"
}
