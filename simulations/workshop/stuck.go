package workshop

import (
	"fmt"
	"os"
	"runtime"
	"sync/atomic"
	"time"
)

// patience is how long a step may take that makes no progress. Each takes a few
// milliseconds.
const patience = 5 * time.Second

// pulse counts the progress that the judge makes.
type pulse struct{ beats atomic.Int64 }

func (p *pulse) beat() { p.beats.Add(1) }

// stuckLine is what a process says before its goroutines, when it ends itself.
const stuckLine = "workshop: no progress"

// watch ends a process that makes no progress, and says where everybody stands. It counts
// ticks, because a laptop may sleep. It runs outside of all bubbles: their clocks stand
// still while a loop does not end.
func (p *pulse) watch(patience time.Duration) {
	const ticks = 50
	seen, quiet := int64(0), 0
	for range time.Tick(patience / ticks) {
		if now := p.beats.Load(); now != seen {
			seen, quiet = now, 0
		} else if quiet++; quiet > ticks {
			stacks := make([]byte, 1<<20)
			stacks = stacks[:runtime.Stack(stacks, true)]
			fmt.Fprintf(os.Stderr, "%s\n\n%s", stuckLine, stacks)
			os.Exit(1)
		}
	}
}
