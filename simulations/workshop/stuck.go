package workshop

import (
	"fmt"
	"os"
	"runtime"
	"runtime/metrics"
	"sync/atomic"
	"time"
)

// patience is for how long there may be no progress: a rule, a race, or some stories of
// an exploration. Each of these takes some milliseconds.
const patience = 5 * time.Second

// heart counts the progress that the judge makes.
var heart pulse

type pulse struct{ beats atomic.Int64 }

// The watch begins before the reader's package does: that may have an init without end.
func init() {
	if patience, err := time.ParseDuration(os.Getenv(patienceVariable)); err == nil {
		go heart.watch(patience)
	}
}

// patienceVariable is set for the process that judges.
const patienceVariable = "JUDGE_PATIENCE"

func (p *pulse) beat() { p.beats.Add(1) }

// What a process says before its goroutines, when it ends itself.
const (
	stuckLine  = "workshop: no progress"
	memoryLine = "workshop: no memory"
)

// memory is more than any exploration needs, in bytes.
const memory = 2 << 30

// watch ends a process that makes no progress, or takes all the memory of a laptop, and
// says where everybody stands. It counts ticks, because a laptop may sleep. It runs
// outside of all bubbles: their clocks stand still while a loop does not end.
func (p *pulse) watch(patience time.Duration) {
	const ticks = 50
	seen, quiet := int64(0), 0
	for range time.Tick(patience / ticks) {
		if now := p.beats.Load(); now != seen {
			seen, quiet = now, 0
		} else if quiet++; quiet > ticks {
			giveUp(stuckLine)
		}
		heap := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		if metrics.Read(heap); heap[0].Value.Uint64() > memory {
			giveUp(memoryLine)
		}
	}
}

func giveUp(line string) {
	stacks := make([]byte, 1<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	fmt.Fprintf(os.Stderr, "\n%s\n\n%s", line, stacks)
	os.Exit(1)
}
