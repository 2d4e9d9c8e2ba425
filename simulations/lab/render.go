package lab

import (
	"os"
	"regexp"
	"strings"
	"unicode/utf8"

	"redislocklab/simulations"
)

// paint colours a text, on a terminal only.
type paint bool

func (p paint) with(code, text string) string {
	if !p || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

const (
	bold  = "1"
	red   = "31"
	green = "32"
	dim   = "2"
)

func isTerminal(out *os.File) bool {
	info, err := out.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// colours tells whether out is a terminal whose user has not refused colours.
func colours(out *os.File) paint {
	return paint(isTerminal(out) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb")
}

var (
	link    = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
	stress  = regexp.MustCompile(`\*([^*\s][^*]*)\*`)
	comment = regexp.MustCompile(`^<!--.*-->$`)
)

// render draws a Markdown document for a terminal: no fences, no comments, no links,
// code indented by two, paragraphs filled anew.
func render(markdown string, p paint) string {
	var out strings.Builder
	fence := ""
	blank := false
	paragraph := ""
	var rows []string // of a table
	flush := func() {
		out.WriteString(fill(paragraph))
		out.WriteString(p.verdicts(columnsOf(rows)))
		paragraph, rows = "", nil
	}
	for line := range strings.Lines(markdown) {
		line = strings.TrimRight(line, "\n")
		if fence == "" && (line == "" || strings.ContainsAny(line[:1], "<`#-")) {
			flush()
		}
		switch {
		case comment.MatchString(line):
			continue
		case strings.HasPrefix(line, "```"):
			if fence == "" {
				fence = "```" + strings.TrimPrefix(line, "```")
			} else {
				fence = ""
			}
			continue
		case line == "":
			if blank {
				continue
			}
		case fence != "":
			line = "  " + paintCode(line, fence, p)
		case strings.HasPrefix(line, "|"):
			rows = append(rows, bare(line))
			blank = false
			continue
		case strings.HasPrefix(line, "#"):
			line = p.with(bold, strings.TrimLeft(line, "# "))
		default:
			paragraph += bare(line) + " "
			blank = false
			continue
		}
		blank = line == ""
		out.WriteString(line + "\n")
	}
	flush()
	return out.String()
}

// bare is a line without links and marks.
func bare(line string) string {
	return strings.ReplaceAll(stress.ReplaceAllString(link.ReplaceAllString(line, "$1"), "$1"), "`", "")
}

// fill breaks a paragraph into lines; the lines of a list item hang below its text.
func fill(paragraph string) string { return fillTo(columns-2, paragraph) }

func fillTo(limit int, paragraph string) string {
	hang := ""
	if strings.HasPrefix(paragraph, "- ") {
		hang = "  "
	}
	text, width := "", 0
	for _, word := range strings.Fields(paragraph) {
		n := utf8.RuneCountInString(word)
		switch {
		case text == "":
			text, width = word, n
		case width+1+n > limit:
			text, width = text+"\n"+hang+word, len(hang)+n
		default:
			text, width = text+" "+word, width+1+n
		}
	}
	if text == "" {
		return ""
	}
	return text + "\n"
}

func paintCode(line, fence string, p paint) string {
	switch {
	case fence == "```diff" && strings.HasPrefix(line, "-"):
		return p.with(red, line)
	case fence == "```diff" && strings.HasPrefix(line, "+"):
		return p.with(green, line)
	case fence == "```diff":
		return p.with(dim, line)
	}
	if at := strings.Index(line, "<-"); at >= 0 {
		return line[:at] + p.with(red, line[at:])
	}
	return p.verdicts(line)
}

// verdict is a word of its own, not the end of a sentence.
var verdict = regexp.MustCompile(`\b(BROKEN|holds)(\s|$)`)

func (p paint) verdicts(line string) string {
	return verdict.ReplaceAllStringFunc(line, func(found string) string {
		word := strings.TrimSpace(found)
		code := green
		if word == string(simulations.Broken) {
			code = red
		}
		return p.with(code, word) + strings.TrimPrefix(found, word)
	})
}
