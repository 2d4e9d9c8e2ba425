package workshop

import (
	"regexp"
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
			for _, line := range lines { // the innermost that is no helper in contract.go
				if strings.Contains(line, "/contract_") {
					asked = line[strings.LastIndex(line, "/")+1:]
					break
				}
			}
		case "Error", "Messages":
			said += strings.Join(lines[:min(len(lines), 6)], "\n") + "\n"
		}
	}
	return said, asked
}
