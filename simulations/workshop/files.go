package workshop

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Files are the contents of an exercise's files, by name.
type Files map[string][]byte

// path is that of a file of the exercise.
func (e Exercise) path(root, name string) string {
	return filepath.Join(root, filepath.FromSlash(e.Folder), name)
}

// Theirs are the files as the reader has left them: what go builds, and its scripts.
func (e Exercise) Theirs(root string) (Files, error) {
	return readFiles(e.path(root, ""), func(name string) bool { return name != "exercise_test.go" })
}

// Starter is what an exercise begins with.
func (e Exercise) Starter(root string) (Files, error) {
	return e.with(root, "lock.go.starter")
}

// Right is an answer that passes.
func (e Exercise) Right(root string) (Files, error) {
	if e.Answer == "" {
		return e.with(root, "lock.go.answer")
	}
	files, err := readFiles(filepath.Join(root, e.Answer), func(name string) bool { return !strings.HasSuffix(name, "_test.go") })
	for name, text := range files {
		files[name] = inExercise(text)
	}
	return files, err
}

// inExercise is the text of a stage's file in the package of an exercise.
func inExercise(text []byte) []byte {
	return packageClause.ReplaceAll(text, []byte("package exercise"))
}

var packageClause = regexp.MustCompile(`(?m)^package \w+$`)

// with returns the given files, and one of the exercise's folder as lock.go.
func (e Exercise) with(root, lock string) (Files, error) {
	files := Files{}
	for _, name := range e.Given {
		text, err := os.ReadFile(filepath.Join(root, e.From, name))
		if err != nil {
			return nil, err
		}
		files[name] = inExercise(text)
	}
	var err error
	files["lock.go"], err = os.ReadFile(e.path(root, lock))
	return files, err
}

func readFiles(folder string, wanted func(name string) bool) (Files, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	files := Files{}
	for _, entry := range entries {
		name := entry.Name()
		ext := filepath.Ext(name)
		hidden := strings.ContainsAny(name[:1], "._") // of an editor, perhaps
		if ext != ".go" && ext != ".lua" || hidden || entry.IsDir() || !wanted(name) {
			continue
		}
		if files[name], err = os.ReadFile(filepath.Join(folder, name)); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// Todo is the line of lock.go that is marked as the place to change, or 0.
func (f Files) Todo() int {
	before, _, marked := bytes.Cut(f["lock.go"], []byte("// TODO"))
	if !marked {
		return 0
	}
	return bytes.Count(before, []byte("\n")) + 1
}

// Hints are from vague to nearly the answer, in Markdown.
func (e Exercise) Hints(root string) ([]string, error) {
	text, err := os.ReadFile(e.path(root, "hints.md"))
	if err != nil {
		return nil, err
	}
	_, hints, _ := strings.Cut(string(text), "\n## ") // what is above the first is for who opens the file
	return strings.Split(hints, "\n## "), nil
}

// Untouched tells whether lock.go is still the starter.
func (e Exercise) Untouched(root string, files Files) bool {
	starter, err := e.Starter(root)
	crlf := []byte("\r\n") // of a clone on Windows, or of an editor
	return err == nil && bytes.Equal(bytes.ReplaceAll(files["lock.go"], crlf, crlf[1:]), bytes.ReplaceAll(starter["lock.go"], crlf, crlf[1:]))
}

// Reset puts the starter back. What the reader has written is kept beside it, under
// names that git ignores; Reset returns them.
func (e Exercise) Reset(root string) (kept []string, err error) {
	starter, err := e.Starter(root)
	if err != nil {
		return nil, err
	}
	theirs, err := e.Theirs(root)
	if err != nil {
		return nil, err
	}
	for name, text := range theirs {
		if bytes.Equal(text, starter[name]) {
			continue
		}
		keep, err := e.freeName(root, name)
		if err != nil {
			return kept, err
		}
		if err := os.Rename(e.path(root, name), e.path(root, keep)); err != nil {
			return kept, err
		}
		kept = append(kept, e.Folder+"/"+keep)
	}
	slices.Sort(kept)
	for name, text := range starter {
		if bytes.Equal(text, theirs[name]) {
			continue
		}
		if err := os.WriteFile(e.path(root, name), text, 0o644); err != nil {
			return kept, err
		}
	}
	return kept, nil
}

// freeName is one under which nothing is kept yet.
func (e Exercise) freeName(root, name string) (string, error) {
	for i := 1; ; i++ {
		free := fmt.Sprintf("%s.yours%d", name, i)
		if _, err := os.Lstat(e.path(root, free)); os.IsNotExist(err) {
			return free, nil
		} else if err != nil {
			return "", err
		}
	}
}
