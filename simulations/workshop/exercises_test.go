package workshop

import (
	"bytes"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"redislocklab/simulations"
)

// code is a Go file without comments, and without its package's name.
func code(t *testing.T, text []byte) string {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, "lock.go", text, parser.SkipObjectResolution) // without comments
	require.NoError(t, err)
	file.Name.Name = "lock"
	var out bytes.Buffer
	require.NoError(t, format.Node(&out, set, file))
	return regexp.MustCompile(`\n\n+`).ReplaceAllString(out.String(), "\n")
}

func starter(t *testing.T, number int) []byte {
	files, err := Exercises()[number-1].Starter(root)
	require.NoError(t, err)
	return files["lock.go"]
}

// Exercises 2, 3 and 5 begin with the lock of the stage before, letter for letter.
// Exercise 1 takes it in two commands; in 4 the lock can wait already.
func TestStartersAreTheLockOfTheStageBefore(t *testing.T) {
	for _, test := range []struct {
		exercise       int
		added, removed []string
	}{
		{exercise: 1, added: []string{"SETNX", "PEXPIRE", "taken, err", "l.held = err == nil", "if err != nil || !taken", "return false, err", "}"},
			removed: []string{`"errors"`, `"SET"`, "errors.Is(err, redis.Nil)", "l.held, err = true, nil", "}"}},
		{exercise: 2},
		{exercise: 3},
		{exercise: 4, added: []string{"WithoutCancel"}, removed: []string{"checkContext", "return err", "}"}},
		{exercise: 5, added: []string{"ErrLost", `"errors"`}},
	} {
		before, err := os.ReadFile(filepath.Join(root, Exercises()[test.exercise-1].From, "lock.go"))
		require.NoError(t, err)
		was, is := code(t, before), code(t, starter(t, test.exercise))
		if at := strings.Index(is, "func (l *Lock) Lock("); test.exercise == 4 {
			is = is[:at] + is[at+strings.Index(is[at:], "\n}\n")+len("\n}\n"):]
		}
		for _, line := range missing(is, was) {
			require.True(t, slices.ContainsFunc(test.added, func(s string) bool { return strings.Contains(line, s) }), "exercise %d has a line more: %q", test.exercise, line)
		}
		for _, line := range missing(was, is) {
			require.True(t, slices.ContainsFunc(test.removed, func(s string) bool { return strings.Contains(line, s) }), "exercise %d has a line less: %q", test.exercise, line)
		}
	}
}

// missing are the lines of a text that another has less often.
func missing(text, from string) (lines []string) {
	count := map[string]int{}
	for line := range strings.Lines(from) {
		count[line]++
	}
	for line := range strings.Lines(text) {
		if count[line]--; count[line] < 0 {
			lines = append(lines, line)
		}
	}
	return lines
}

func TestStartersSayWhatToDo(t *testing.T) {
	for _, e := range Exercises() {
		text := string(starter(t, e.Number))
		require.Equal(t, 1, strings.Count(text, "TODO"), "one marked place: exercise %d", e.Number)
		head, _, found := strings.Cut(text, "package exercise\n")
		require.True(t, found)
		require.LessOrEqual(t, strings.Count(head, "\n"), 5, "a title, and two or three lines of task: exercise %d", e.Number)
		require.LessOrEqual(t, len(e.Title), 47, "the width of make progress")
		for line := range strings.Lines(text) {
			require.LessOrEqual(t, len(strings.ReplaceAll(line, "\t", "    ")), 121)
		}
	}
}

// A comment that the screen breaks in two is no Go any more.
func TestHintsCanBeCopiedFromTheScreen(t *testing.T) {
	for _, e := range Exercises() {
		hints, err := e.Hints(root)
		require.NoError(t, err)
		for line := range strings.Lines(strings.Join(hints, "\n")) {
			if strings.Contains(line, "//") || strings.Contains(line, "-- ") {
				require.LessOrEqual(t, len(strings.ReplaceAll(line, "\t", "  ")), 77, line)
			}
		}
	}
}

// A race or a rule that is misspelt would never be asked, or always.
func TestExercisesNameRacesAndRulesThatExist(t *testing.T) {
	known := map[string]bool{}
	for _, rule := range simulations.Rules(simulations.Stages()[4]) {
		known[rule.Name] = true
	}
	for i, e := range Exercises() {
		require.Equal(t, i+1, e.Number)
		for _, race := range append(slices.Clone(e.Earlier), e.Race) {
			require.False(t, isRule(race), race)
		}
		for _, rule := range slices.Concat(e.Spared, slices.DeleteFunc(slices.Clone(e.After), func(name string) bool { return !isRule(name) })) {
			require.True(t, known[rule], rule)
		}
	}
}

func TestResetKeepsEverything(t *testing.T) {
	e := Exercises()[2]
	copied := t.TempDir()
	for _, folder := range []string{e.Folder, e.From} {
		require.NoError(t, os.CopyFS(filepath.Join(copied, folder), os.DirFS(filepath.Join(root, folder))))
	}
	if err := os.Symlink("nowhere", e.path(copied, ".#lock.go")); err != nil { // an editor's
		t.Skip("no symbolic links here: ", err)
	}
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(e.path(copied, name), []byte(text), 0o644))
	}
	untouched := func() bool {
		files, err := e.Theirs(copied)
		require.NoError(t, err)
		return e.Untouched(copied, files)
	}
	read := func(name string) string {
		text, err := os.ReadFile(e.path(copied, name))
		require.NoError(t, err)
		return string(text)
	}
	_, err := e.Reset(copied)
	require.NoError(t, err)
	require.True(t, untouched())
	kept, err := filepath.Glob(e.path(copied, "*.yours*")) // of the one who works here
	require.NoError(t, err)
	for _, file := range kept {
		require.NoError(t, os.Remove(file))
	}

	kept, err = e.Reset(copied)
	require.NoError(t, err)
	require.Empty(t, kept, "nothing was written, and nothing is kept")

	elsewhere := filepath.Join(copied, "elsewhere.go")
	require.NoError(t, os.WriteFile(elsewhere, []byte("package exercise // linked"), 0o644))
	require.NoError(t, os.Remove(e.path(copied, "lock.go")))
	require.NoError(t, os.Symlink(elsewhere, e.path(copied, "lock.go")))
	_, err = e.Reset(copied)
	require.NoError(t, err)
	linked, err := os.ReadFile(elsewhere)
	require.NoError(t, err)
	require.Equal(t, "package exercise // linked", string(linked), "what a link leads to is left alone")
	require.NoError(t, os.Remove(e.path(copied, "lock.go.yours1")))

	for range 2 {
		write("lock.go", "package exercise // mine")
		write("unlock.lua", "return 0 -- mine")
		write("input.go", "package exercise // mine, too")
		require.False(t, untouched())
		kept, err = e.Reset(copied)
		require.NoError(t, err)
		require.Len(t, kept, 3)
		require.True(t, untouched())
		require.NoFileExists(t, e.path(copied, "unlock.lua"))
		given, err := os.ReadFile(filepath.Join(root, "stage3_lua", "input.go"))
		require.NoError(t, err)
		require.Equal(t, string(inExercise(given)), read("input.go"), "what is given comes back, too")
	}
	now, err := filepath.Glob(e.path(copied, "*.yours*"))
	require.NoError(t, err)
	require.Len(t, now, 6, "the second time overwrites nothing of the first")
	require.Equal(t, "return 0 -- mine", read(filepath.Base(kept[2])))
}

func TestFindListsTheExercises(t *testing.T) {
	_, err := Find("9")
	require.EqualError(t, err, `there is no exercise "9": they are 1 to 8`)
	_, err = Find("")
	require.Error(t, err)
}

// An exercise under go test alone says what judges it, and is no failure.
func TestJudgeIsQuietWithoutItsFlags(t *testing.T) {
	ran := t.Run("exercise", func(t *testing.T) {
		Judge(t, func(redis.UniversalClient, string) simulations.Locker { return nil }, simulations.Errors{})
		t.Error("it went on")
	})
	require.True(t, ran)
}
