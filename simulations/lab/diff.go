package lab

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// diffFiles returns the change from one file to another, all lines of it.
func (l *Lab) diffFiles(from, to string) (string, error) {
	before, err := os.ReadFile(filepath.Join(l.Root, from))
	if err != nil && !os.IsNotExist(err) {
		return "", err
	}
	after, err := os.ReadFile(filepath.Join(l.Root, to))
	if err != nil {
		return "", err
	}
	head := fmt.Sprintf("--- %s\n+++ %s\n", from, to)
	if before == nil {
		head = fmt.Sprintf("--- (new)\n+++ %s\n", to)
	}
	return head + strings.Join(around(diffLines(lines(before), lines(after)), 3), ""), nil
}

// diffBlock is the change in some functions between two folders: the step itself,
// without imports and comments. A function may be missing on one side.
func (l *Lab) diffBlock(from, to string, functions []string) (string, error) {
	var text strings.Builder
	for i, function := range functions {
		if i > 0 {
			text.WriteString("\n")
		}
		before, err := functionSource(filepath.Join(l.Root, from), function)
		if err != nil {
			return "", err
		}
		after, err := functionSource(filepath.Join(l.Root, to), function)
		if err != nil {
			return "", err
		}
		if before == nil && after == nil {
			return "", fmt.Errorf("neither %s nor %s has a function %s", from, to, function)
		}
		text.WriteString(foldDiff(strings.Join(around(diffLines(before, after), 1), "")))
	}
	return fenced("diff", text.String()), nil
}

// functionSource returns a function's lines without comments, from a file or a folder;
// nil if there is none.
func functionSource(place, name string) ([]string, error) {
	files := []string{place}
	if !strings.HasSuffix(place, ".go") {
		files, _ = filepath.Glob(filepath.Join(place, "*.go"))
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		set := token.NewFileSet()
		parsed, err := parser.ParseFile(set, file, nil, 0) // 0: without comments
		if err != nil {
			return nil, err
		}
		for _, decl := range parsed.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Name.Name == name {
				var out bytes.Buffer
				if err := format.Node(&out, set, f); err != nil {
					return nil, err
				}
				return lines(append(out.Bytes(), '\n')), nil
			}
		}
	}
	return nil, nil
}

var luaComment = regexp.MustCompile(`(?m)^--.*\n|[ \t]+--.*$`)

// uncommented formats a Go file anew, without comments but those that go build reads.
// Of a script it takes away the comments.
func uncommented(name string, text []byte) ([]byte, error) {
	if filepath.Ext(name) == ".lua" {
		return luaComment.ReplaceAll(text, nil), nil
	} else if text == nil {
		return nil, nil
	}
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	file.Comments = slices.DeleteFunc(file.Comments, func(c *ast.CommentGroup) bool {
		return !strings.HasPrefix(c.List[0].Text, "//go:")
	})
	var out bytes.Buffer
	err = format.Node(&out, set, file)
	return out.Bytes(), err
}

// diffLines marks every line with "-", "+" or " ", by a longest common subsequence.
func diffLines(before, after []string) []string {
	common := make([][]int, len(before)+1)
	for i := range common {
		common[i] = make([]int, len(after)+1)
	}
	for i := len(before) - 1; i >= 0; i-- {
		for j := len(after) - 1; j >= 0; j-- {
			if before[i] == after[j] {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	var out []string
	i, j := 0, 0
	for i < len(before) || j < len(after) {
		switch {
		case i < len(before) && j < len(after) && before[i] == after[j]:
			out = append(out, "  "+before[i])
			i, j = i+1, j+1
		case j == len(after) || i < len(before) && common[i+1][j] >= common[i][j+1]:
			out = append(out, "- "+before[i])
			i++
		default:
			out = append(out, "+ "+after[j])
			j++
		}
	}
	return out
}

// around keeps the first line, the changed lines and n lines around each of them;
// "  …" stands for the rest.
func around(diff []string, n int) []string {
	keep := make([]bool, len(diff))
	changed := func(line string) bool { return line[0] != ' ' }
	if !slices.ContainsFunc(diff, changed) {
		return nil
	}
	keep[0] = true
	for i, line := range diff {
		if changed(line) {
			for k := max(0, i-n); k <= min(len(diff)-1, i+n); k++ {
				keep[k] = true
			}
		}
	}
	var out []string
	for i, line := range diff {
		switch {
		case keep[i]:
			out = append(out, line)
		case keep[i-1]:
			out = append(out, "  …\n")
		}
	}
	return out
}

// foldDiff folds every line of a diff, and draws a tab as two spaces.
func foldDiff(text string) (folded string) {
	for line := range strings.Lines(text) {
		folded += fold(strings.ReplaceAll(line, "\t", "  "), "- ")
	}
	return folded
}

// fold breaks a line of code that is too long for the screen. mark is as long as what
// stands before the code.
func fold(line, mark string) string {
	const width = columns - 4
	if len(line) <= width {
		return line
	}
	n := len(mark)
	indent := len(line[n:]) - len(strings.TrimLeft(line[n:], " "))
	at := strings.LastIndex(line[:width], " ")
	if at <= n+indent+4 { // one long word
		return line
	}
	rest := line[:n] + strings.Repeat(" ", indent+4) + line[at+1:]
	return strings.TrimRight(line[:at], " ") + "\n" + fold(rest, mark)
}

// foldCode folds the code in a Markdown text, and leaves the rest alone.
func foldCode(markdown string) (folded string) {
	code := false
	for line := range strings.Lines(markdown) {
		if strings.HasPrefix(line, "```") {
			code = !code
		} else if code {
			line = fold(strings.ReplaceAll(line, "\t", "  "), "")
		}
		folded += line
	}
	return folded
}

func lines(text []byte) []string {
	if len(text) == 0 {
		return nil
	}
	return strings.SplitAfter(strings.TrimSuffix(string(text), "\n")+"\n", "\n")[:bytes.Count(text, []byte("\n"))]
}
