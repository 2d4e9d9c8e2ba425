package bench

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"

	"redislocklab/simulations/peers"
)

// results are all that is measured in one run.
type results struct {
	machine  string
	lease    time.Duration // of the locks that are held
	alone    []alone
	handoffs []handoff
	held     []held
}

// String has everything, ratios first.
func (r results) String() string {
	return strings.Join([]string{r.machine, r.aloneTable(), r.handoffTable(), r.heldTable(), r.targetTable()}, "\n")
}

func (r results) aloneTable() string {
	text := "Lock and unlock; nobody else wants the lock.\n\n" +
		"              ratio to the floor       us      allo-  com-   bytes  bytes\n" +
		"              median  quarters      median   cations mands    sent    got\n"
	for _, a := range r.alone {
		text += fmt.Sprintf("%-13s %5.2f   %.2f to %.2f   %5.0f   %7.0f %5.1f  %6.0f %6.0f\n", a.name,
			a.ratio.median, a.ratio.low, a.ratio.high, a.micros.median, a.allocations,
			float64(a.traffic.commands)/a.pairs, float64(a.traffic.sent)/a.pairs, float64(a.traffic.received)/a.pairs)
	}
	return text
}

func (r results) handoffTable() string {
	text := "From a release to the next holder; so many wait, always.\n\n" +
		"              waiters     p50      p99   commands to     connec-  longest  times\n" +
		"                           ms       ms   lock  connect    tions    wait\n"
	for i, h := range r.handoffs {
		if i > 0 && r.handoffs[i-1].waiters != h.waiters {
			text += "\n"
		}
		text += fmt.Sprintf("%-13s %7d %7.2f  %7.2f  %5.1f  %5.1f  %9.2f  %7s  %5.0f\n", h.name, h.waiters,
			milliseconds(h.p50), milliseconds(h.p99), h.commands(), h.opening(), float64(h.traffic.connections)/h.times, h.longest(), h.times)
	}
	return text
}

// short is for a reader who wants to know whether a lock costs too much.
func (r results) short() string {
	text := "              lock and unlock,      handed on, 32 waiters   commands for\n" +
		"              over the floor's      median       p99, ms    each time\n"
	for _, a := range r.alone {
		line := fmt.Sprintf("%-13s %10.2f", a.name, a.ratio.median)
		for _, h := range r.handoffs {
			if h.name == a.name && h.waiters == 32 {
				line += fmt.Sprintf("%21.2f %13.2f %13.1f", milliseconds(h.p50), milliseconds(h.p99), h.commands())
			}
		}
		text += line + "\n"
	}
	return text
}

func (h handoff) commands() float64 { return float64(h.traffic.commands) / h.times }

// longest is the longest wait over the mean one. With a ">" it was not over at the end.
func (h handoff) longest() string {
	text := fmt.Sprintf("%.1f", h.unfair)
	if h.unfinished {
		return ">" + text
	}
	return text
}

func (h handoff) opening() float64 { return float64(h.traffic.opening) / h.times }

func (r results) heldTable() string {
	text := fmt.Sprintf("A thousand locks held by one process, with a TTL of %s.\n\n", r.lease) +
		"              commands in a second  goroutines for each  KiB for each\n"
	for _, h := range r.held {
		text += fmt.Sprintf("%-13s %20.0f  %19.1f  %12.1f\n", h.name, h.commands, max(0, h.goroutines), h.kilobytes)
	}
	return text
}

func milliseconds(d time.Duration) float64 { return d.Seconds() * 1000 }

// machine says where it was measured, and with what.
func machine(redis string) string {
	text := fmt.Sprintf("%s, %s/%s, %d cores%s; Redis %s\n", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), model(), redis)
	return text + strings.Join(peers.Versions(), "\n") + "\n"
}

// model is the name of the processor, where Linux tells it.
func model() string {
	text, _ := os.ReadFile("/proc/cpuinfo")
	_, after, found := strings.Cut(string(text), "model name\t: ")
	if !found {
		return ""
	}
	name, _, _ := strings.Cut(after, "\n")
	return " of " + name
}
