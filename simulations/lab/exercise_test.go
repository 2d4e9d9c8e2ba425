package lab

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"redislocklab/simulations/workshop"
)

// copyLab is a lab on a copy of the repository with all exercises as they come: those of
// the repository itself may be in the middle of somebody's work. It is one copy for all
// tests, so that go build finds there what it has built before.
func copyLab(t *testing.T) (*Lab, *bytes.Buffer) {
	lab, out := newLab(t)
	root, err := copied()
	require.NoError(t, err)
	from := lab.Root
	require.NoError(t, filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		name, _ := filepath.Rel(from, path)
		switch {
		case err != nil:
			return err
		case name != "." && d.IsDir() && strings.HasPrefix(d.Name(), "."):
			return fs.SkipDir
		case name != "." && strings.HasPrefix(d.Name(), "."): // of an editor, perhaps
			return nil
		case d.IsDir():
			return os.MkdirAll(filepath.Join(root, name), 0o755)
		case strings.Contains(d.Name(), ".yours"):
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(root, name), text, 0o644)
	}))
	lab.Root = root
	for _, e := range workshop.Exercises() {
		kept, err := e.Reset(root)
		require.NoError(t, err)
		for _, file := range kept {
			require.NoError(t, os.Remove(filepath.Join(root, file)))
		}
	}
	return lab, out
}

var copied = sync.OnceValues(func() (string, error) { return os.MkdirTemp("", "redislocklab") })

// In the order in which somebody would type it.
func TestAnExerciseFromTheStarterToTheEnd(t *testing.T) {
	lab, out := copyLab(t)
	folder := filepath.Join(lab.Root, "stage3_lua", "exercise")
	run := func(want error, args ...string) string {
		t.Helper()
		out.Reset()
		err := lab.Run(args, false)
		require.ErrorIs(t, err, want, "%s: %s", args, out)
		for line := range strings.Lines(out.String()) {
			require.LessOrEqual(t, utf8.RuneCountInString(strings.TrimSuffix(line, "\n")), columns, line)
		}
		return out.String()
	}
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644))
	}

	text := run(exit(1), "exercise", "3")
	require.Contains(t, text, "  BROKEN  gc-pause\n")
	require.Contains(t, text, "12s  DEL -> 1                  |                         -     <- was B's")
	require.Contains(t, text, "This is the task, and no mistake in your set-up")
	require.Contains(t, text, "Again: make exercise3 RACE=gc-pause. A hint: make hint3")
	require.NotContains(t, text, "every order", "what comes later is not tried")
	story := text[strings.Index(text, "    clock"):strings.Index(text, "owner-only means")]
	require.Contains(t, run(exit(1), "exercise", "3", "gc-pause"), story, "the same bytes")

	for _, e := range workshop.Exercises() { // every word, and nothing between
		hints, err := e.Hints(lab.Root)
		require.NoError(t, err)
		for i, hint := range hints {
			said := run(nil, "hint", fmt.Sprint(e.Number), fmt.Sprint(i+1))
			said, _, _ = strings.Cut(said, "\nMore: make hint")
			require.Equal(t, strings.Fields(plain.Replace(hint)), strings.Fields(said))
		}
	}

	write("lock.go", "package exercise\n\nfunc New( {}\n")
	require.Regexp(t, `^stage3_lua.exercise.lock.go:3:\d+: .*\n$`, run(exit(1), "exercise", "3"), "the compiler's words only")

	right, err := workshop.Exercises()[2].Right(lab.Root)
	require.NoError(t, err)
	write("lock.go", string(right["lock.go"]))
	write("unlock.lua", string(right["unlock.lua"]))
	text = run(nil, "exercise", "3")
	require.Contains(t, text, "6,018 schedules, and none breaks\n          owner-only\n")
	require.Contains(t, text, "Compare: make compare3. Next: make stage4")
	require.NotContains(t, text, "clock")
	require.Equal(t, "The same, but for comments.\n", run(nil, "compare", "3"))
	require.Contains(t, run(nil, "exercise", "3", "gc-pause"), "unlock.lua -> 0")
	require.Contains(t, run(nil, "exercise", "3", "AAtBAB"), "clock")
	require.Contains(t, run(exit(1), "exercise", "3", "AAAAAA"), "cannot be taken there")

	require.Contains(t, run(nil, "reset", "3"), "kept: stage3_lua/exercise/lock.go.yours1\n")
	require.FileExists(t, filepath.Join(folder, "unlock.lua.yours1"))
	require.NoFileExists(t, filepath.Join(folder, "unlock.lua"))
	require.Contains(t, run(nil, "compare", "3"), "+   deleted, err := unlock.Run(")
}

// A lock that tells its holder nothing wins all races of exercise 5, and loses in one order.
func TestTheExplorersStoryOfAnExerciseIsDrawnAgain(t *testing.T) {
	lab, out := copyLab(t)
	right, err := workshop.Exercises()[4].Right(lab.Root)
	require.NoError(t, err)
	right["lock.go"] = bytes.Replace(right["lock.go"], []byte("(l *Lock) Context()"), []byte("(l *Lock) context()"), 1)
	for name, text := range right {
		require.NoError(t, os.WriteFile(filepath.Join(lab.Root, "stage5_renewal", "exercise", name), text, 0o644))
	}
	require.ErrorIs(t, lab.Run([]string{"exercise", "5"}, false), exit(1))
	for line := range strings.Lines(out.String()) {
		require.LessOrEqual(t, utf8.RuneCountInString(strings.TrimSuffix(line, "\n")), columns, line)
	}
	require.Contains(t, out.String(), "  BROKEN  every order of 2 actors, up to 1 expiry, no fault\n")
	require.Contains(t, out.String(), "told means: a holder learns of the loss before another can hold.")
	story := out.String()[strings.Index(out.String(), "    clock"):strings.Index(out.String(), "told means")]
	schedule := regexp.MustCompile(`make exercise5 SCHEDULE=(\w+)`).FindStringSubmatch(out.String())
	require.NotNil(t, schedule, out)

	out.Reset()
	require.ErrorIs(t, lab.Run([]string{"exercise", "5", schedule[1]}, false), exit(1))
	require.Contains(t, out.String(), story, "the same bytes")
}

func TestProgressOfTheExercises(t *testing.T) {
	lab, out := copyLab(t)
	first := filepath.Join(lab.Root, "stage1_setnx", "exercise", "lock.go")
	right, err := workshop.Exercises()[0].Right(lab.Root)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(first, right["lock.go"], 0o644))
	second := filepath.Join(lab.Root, "stage2_owner_token", "exercise", "lock.go")
	require.NoError(t, os.WriteFile(second, []byte("package exercise"), 0o644))

	require.NoError(t, lab.Run([]string{"progress"}, false))
	text := out.String()
	require.Regexp(t, `(?m)^  done  1  one command takes the lock$`, text)
	require.Regexp(t, `(?m)^  open  2  the lock says whose it is  +does not compile$`, text)
	require.Regexp(t, `(?m)^  open  3  compare and delete in one step  +gc-pause$`, text)
	require.Contains(t, text, "Next: make exercise2\n")
	require.Equal(t, 8, strings.Count(text, "open")+strings.Count(text, "done"))
}

// plain takes away what a terminal does not show.
var plain = strings.NewReplacer("```go", "", "```lua", "", "```", "", "`", "")

// speech is a writer that somebody listens to.
type speech chan string

func (s speech) Write(p []byte) (int, error) { s <- string(p); return len(p), nil }

func TestWatchJudgesOnEverySave(t *testing.T) {
	lab, _ := copyLab(t)
	said := make(speech, 1000)
	lab.Out = said
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- lab.watch(ctx, "1", false) }()
	heard := func(what string) {
		t.Helper()
		for end := time.After(time.Minute); ; {
			select {
			case text := <-said:
				if strings.Contains(text, what) {
					return
				}
			case <-end:
				require.Fail(t, "not heard: "+what)
			}
		}
	}
	heard("BROKEN  crash-before-expire")
	heard("waiting for a change")
	right, err := workshop.Exercises()[0].Right(lab.Root)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(lab.Root, "stage1_setnx", "exercise", "lock.go"), right["lock.go"], 0o644))
	heard("Done.")
	cancel()
	require.NoError(t, <-done)
}

func TestExerciseCommandsRefuseWhatTheyDoNotKnow(t *testing.T) {
	for _, args := range [][]string{
		{"exercise", "9"}, {"exercise", ""}, {"exercise", "1", "no-race"}, {"hint", "9", ""}, {"hint", "1", "4"},
		{"hint", "1", "x"}, {"compare", "9"}, {"reset", "9"}, {"watch", "9"}, {"reset"}, {"exercise"},
	} {
		lab, out := newLab(t)
		require.Error(t, lab.Run(args, false), "%q", args)
		require.Empty(t, out.String())
	}
}
