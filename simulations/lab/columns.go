package lab

import (
	"strings"
	"unicode/utf8"
)

// columnsOf draws the rows of a Markdown table for a terminal, each column as wide as
// its widest cell.
func columnsOf(rows []string) string {
	var table [][]string
	var width []int
	for _, row := range rows {
		if strings.HasPrefix(row, "|--") {
			continue
		}
		cells := strings.Split(strings.Trim(row, "|"), "|")
		for i, cell := range cells {
			cells[i] = strings.TrimSpace(cell)
			if i == len(width) {
				width = append(width, 0)
			}
			width[i] = max(width[i], utf8.RuneCountInString(cells[i]))
		}
		table = append(table, cells)
	}
	text := ""
	for _, cells := range table {
		line := " "
		for i, cell := range cells {
			line += " " + cell + strings.Repeat(" ", width[i]-utf8.RuneCountInString(cell)+1)
		}
		text += strings.TrimRight(line, " ") + "\n"
	}
	return text
}
