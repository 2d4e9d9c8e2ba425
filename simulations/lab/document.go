package lab

import (
	"fmt"
	"os"
	"regexp"
	"strings"
)

// A document is a Markdown file in which some blocks are written from a run. Such a
// block stands between two comments, and the first one says what to run:
//
//	<!-- begin race gc-pause stage2_owner_token -->
//	<!-- end -->
var block = regexp.MustCompile(`(?s)(<!-- begin ([^\n]*?) -->\n)(.*?)(<!-- end -->)`)

// regenerate returns the document's text with every block written anew.
func (l *Lab) regenerate(path string) (before, after string, err error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return "", "", err
	}
	before = strings.ReplaceAll(string(content), "\r\n", "\n")
	after = block.ReplaceAllStringFunc(before, func(old string) string {
		parts := block.FindStringSubmatch(old)
		text, fault := l.fill(strings.Fields(parts[2]))
		if fault != nil && err == nil {
			err = fmt.Errorf("%s: %s: %w", path, strings.TrimSpace(parts[1]), fault)
		}
		return parts[1] + text + parts[4]
	})
	if blocks := len(block.FindAllString(before, -1)); err == nil && blocks != strings.Count(before, "<!-- begin ") {
		err = fmt.Errorf("%s: a block that begins does not end", path)
	}
	return before, after, err
}
