package workshop

import (
	"regexp"
	"slices"
	"strings"
)

// testify writes a block for each label: "	Error:      	Not equal:", and more lines below.
var label = regexp.MustCompile(`(?m)^\t([A-Z][A-Za-z ]*):\s*\t(.*(?:\n\t {12}\t.*)*)`)

// condense keeps of what testify says the error, and the line of the contract that asks.
func condense(complaint string) (said, asked string) {
	for _, block := range label.FindAllStringSubmatch(complaint, -1) {
		var lines []string
		for line := range strings.Lines(block[2]) {
			if line = strings.TrimSpace(line); line != "" {
				lines = append(lines, line)
			}
		}
		switch block[1] {
		case "Error Trace":
			asked = lines[0]
			for _, line := range slices.Backward(lines) {
				if strings.Contains(line, "/contract_") { // and not a helper in contract.go
					asked = line
				}
			}
			asked = asked[strings.LastIndex(asked, "/")+1:]
		case "Error", "Messages":
			said += strings.Join(lines[:min(len(lines), 6)], "\n") + "\n"
		}
	}
	return said, asked
}
