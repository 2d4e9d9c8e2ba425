package simulations

import (
	"fmt"
	"slices"
	"strings"
)

// String draws the trace as a lane table: the clock, one lane for each actor that
// appears, and the true owner. It is at most 78 columns wide.
func (tr Trace) String() string {
	var names []string
	for i, name := range actorNames {
		if slices.ContainsFunc(tr, func(e Event) bool { return e.Actor == name || i < len(e.Lanes) && e.Lanes[i] != idle }) {
			names = append(names, name)
		}
	}
	width := map[int]int{1: 25, 2: 25, 3: 16, 4: 11}[len(names)]
	var out strings.Builder
	line := func(clock string, cells []string, owner, note string) {
		row := fmt.Sprintf("%7s  ", clock)
		for _, cell := range cells {
			row += fmt.Sprintf("%-*s ", width, cell)
		}
		row += fmt.Sprintf("%-5s %s", owner, note)
		out.WriteString(strings.TrimRight(row, " ") + "\n")
	}
	line("clock", names, "owner", "")
	for i := 0; i < len(tr); i++ {
		e := tr[i]
		if again := tr.repeats(i); again > 2 { // somebody who polls
			e.Text = fmt.Sprintf("(%d times more)", again)
			i += again - 1
		}
		if e.Actor == "" && e.Text != "" { // what happens to Redis is written across the lanes
			across := max(1, len(names)*(width+1)-1)
			line(seconds(e.At), []string{fmt.Sprintf("%-*s", across, "* "+e.Text)}, e.Owner, e.Note)
			continue
		}
		cells, rest, at := make([]string, len(names)), "", 0
		for i, name := range names {
			cells[i] = string(e.Lanes[slices.Index(actorNames, name)])
			if name == e.Actor {
				at = i
				cells[i], rest = wrap(e.Text, width)
			}
		}
		line(seconds(e.At), cells, e.Owner, e.Note)
		for rest != "" {
			clear(cells)
			cells[at], rest = wrap(rest, width)
			line("", cells, "", "")
		}
	}
	return out.String()
}

// repeats counts the events from i on that say what the one before them said.
func (tr Trace) repeats(i int) (again int) {
	for ; i > 0 && i < len(tr) && tr[i].says(tr[i-1]); i++ {
		again++
	}
	return again
}

func (e Event) says(other Event) bool {
	return e.Actor == other.Actor && e.Text == other.Text && e.Owner == other.Owner && e.Note == other.Note
}

// wrap breaks a text that is too long for its lane, before the reply if it can.
func wrap(text string, width int) (first, rest string) {
	if len(text) <= width {
		return text, ""
	}
	at := strings.Index(text, " -> ")
	if at < 0 || at > width {
		at = strings.LastIndex(text[:width+1], " ")
	}
	if at <= len("  ") { // one long word
		at = width
	}
	return text[:at], "  " + strings.TrimSpace(text[at:])
}
