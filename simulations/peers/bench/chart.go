package bench

import (
	"fmt"
	"math"
	"strings"
)

// chart draws how long a release takes to reach the next holder: for each number of
// waiters and each lock a line from the median to the 99th percentile, on a logarithmic
// scale. It is readable on a dark page too.
func (r results) chart() string {
	const left, right, row, top = 130, 610, 17, 64
	x := func(ms float64) float64 { // 0.1 ms to 1 s
		return left + (right-left)*(math.Log10(min(max(ms, 0.1), 1000))+1)/4
	}
	var b strings.Builder
	y, before := top, 0
	for _, h := range r.handoffs {
		if h.waiters != before {
			y, before = y+14, h.waiters
			fmt.Fprintf(&b, `<text class="group" x="10" y="%d">%d waiters</text>`+"\n", y+4, h.waiters)
			y += row
		}
		class := "theirs"
		if strings.HasPrefix(h.name, "stage") || h.name == "fenced" {
			class = "ours"
		}
		from, to := x(milliseconds(h.p50)), x(milliseconds(h.p99))
		fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="end">%s</text>`+"\n", left-12, y+4, h.name)
		fmt.Fprintf(&b, `<line class="%s" x1="%.1f" y1="%d" x2="%.1f" y2="%d"/><circle class="%s" cx="%.1f" cy="%d" r="4"/>`+"\n", class, from, y, max(to, from+1), y, class, from, y)
		y += row
	}
	var axis strings.Builder
	for _, tick := range []struct {
		ms   float64
		name string
	}{{0.1, "0.1 ms"}, {1, "1 ms"}, {10, "10 ms"}, {100, "100 ms"}, {1000, "1 s"}} {
		fmt.Fprintf(&axis, `<line class="grid" x1="%.1f" y1="%d" x2="%.1f" y2="%d"/><text x="%.1f" y="%d" text-anchor="middle">%s</text>`+"\n",
			x(tick.ms), top-6, x(tick.ms), y, x(tick.ms), top-12, tick.name)
	}
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 %d" role="img" aria-label="How long a release takes to reach the next holder">
<style>
svg { font: 12px sans-serif; }
text { fill: #1f2328; }
.title { font-size: 15px; font-weight: bold; }
.group { font-weight: bold; }
.grid { stroke: #d0d7de; }
line.ours { stroke: #0969da; stroke-width: 5; stroke-linecap: round; opacity: .55; }
line.theirs { stroke: #bc4c00; stroke-width: 5; stroke-linecap: round; opacity: .55; }
circle.ours { fill: #0969da; }
circle.theirs { fill: #bc4c00; }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3; }
  .grid { stroke: #444c56; }
  line.ours { stroke: #58a6ff; }
  line.theirs { stroke: #f0883e; }
  circle.ours { fill: #58a6ff; }
  circle.theirs { fill: #f0883e; }
}
</style>
<text class="title" x="10" y="22">From a release to the next holder: the median (dot) to the 99th percentile</text>
%s%s</svg>
`, y+10, axis.String(), b.String())
}
