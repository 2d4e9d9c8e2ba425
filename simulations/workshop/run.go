package workshop

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"redislocklab/simulations"
)

// Ask says what to judge: all of the exercise, or only one race, or one schedule.
type Ask struct {
	Race, Schedule string
	Files          Files         // in the place of the reader's
	Patience       time.Duration // 0: some seconds
}

// Judged is what came of an exercise.
type Judged struct {
	Compiler string    // what it says, if the exercise does not compile; then nothing else
	Files    Files     // that were judged
	Findings []Finding // in order; the last may be one that broke, or in which the process ended
	Crash    string    // how the process ended, if the judge could not end it
	Advice   string    // where to look, if it is a mutex
	Printed  string    // by the lock
}

// Done tells whether everything held.
func (j Judged) Done() bool {
	return j.Compiler == "" && j.Crash == "" && j.Last().Verdict == simulations.Holds
}

// Last is the finding that counts.
func (j Judged) Last() (last Finding) {
	if n := len(j.Findings); n > 0 {
		last = j.Findings[n-1]
	}
	return last
}

// Run builds the exercise and judges it, in a process of its own: a lock that panics or
// never comes back ends that one only. root is the folder of go.mod. What is wrong with
// the lock is in Judged; an error says that the judge could not do its work.
func (e Exercise) Run(ctx context.Context, root string, ask Ask) (Judged, error) {
	root, err := filepath.Abs(root) // go build runs there
	if err != nil {
		return Judged{}, err
	}
	temp, err := os.MkdirTemp("", "redislocklab")
	if err != nil {
		return Judged{}, err
	}
	defer os.RemoveAll(temp)
	program := filepath.Join(temp, "exercise.exe") // Windows wants that, and nobody else minds
	files := ask.Files
	if files == nil {
		if files, err = e.Theirs(root); err != nil {
			return Judged{}, err
		}
	}
	words, err := e.build(ctx, root, program, temp, ask.Files)
	if err != nil || words != "" {
		return Judged{Compiler: words}, err
	}
	findings := filepath.Join(temp, "findings.json")
	if ask.Patience == 0 {
		ask.Patience = patience
	}
	judge := exec.CommandContext(ctx, program, "-test.run=^TestExercise$", "-test.timeout=0",
		"-judge.exercise="+fmt.Sprint(e.Number), "-judge.to="+findings, "-judge.race="+ask.Race,
		"-judge.schedule="+ask.Schedule)
	judge.Env = append(os.Environ(), patienceVariable+"="+ask.Patience.String())
	judge.Dir = e.path(root, "")
	judge.WaitDelay = time.Second // for what a lock may have started
	var output ends
	judge.Stdout, judge.Stderr = &output, &output
	err = judge.Run()
	if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) && !errors.Is(err, exec.ErrWaitDelay) {
		return Judged{}, err
	}
	if ctx.Err() != nil {
		return Judged{}, ctx.Err()
	}
	judged, err := e.read(findings, output.String())
	judged.Files = files
	if strings.Contains(judged.Crash, "mutex") || judged.Last().busyForNoReason() {
		judged.Advice = e.forgotten(judged.Files)
	}
	return judged, err
}

// busyForNoReason tells whether the lock said ErrBusy where nobody expects it.
func (f Finding) busyForNoReason() bool {
	const busy = `another call on this *Lock is running`
	return strings.Contains(f.Story, busy) && !strings.Contains(f.Story, `expected: "lock: `+busy)
}

// ends keeps the beginning and the end of what a process prints: a loop may print without
// end, and how it ended stands last.
type ends struct{ first, last []byte }

func (e *ends) Write(p []byte) (int, error) {
	const enough = 1 << 21
	rest := p
	if room := 1<<16 - len(e.first); room > 0 {
		n := min(room, len(p))
		e.first, rest = append(e.first, p[:n]...), p[n:]
	}
	if e.last = append(e.last, rest...); len(e.last) > 2*enough {
		e.last = append(e.last[:0], e.last[len(e.last)-enough:]...)
	}
	return len(p), nil
}

func (e *ends) String() string { return string(e.first) + string(e.last) }

// read makes out how the process ended: by itself, or by the lock.
func (e Exercise) read(findings, output string) (j Judged, err error) {
	text, err := os.ReadFile(findings)
	if err != nil { // it did not come that far
		j.Printed, j.Crash = e.crash(output)
		return j, nil
	}
	if err := json.Unmarshal(text, &j.Findings); err != nil {
		return Judged{}, err
	}
	switch last := j.Last(); {
	case last.Step == "": // the end
		j.Findings = j.Findings[:len(j.Findings)-1]
		j.Printed = output
	case last.Verdict != "" && last.Verdict != simulations.Holds:
		j.Printed = output
	default:
		j.Printed, j.Crash = e.crash(output)
	}
	return j, nil
}

// build compiles the exercise, with other files in the place of the reader's if there
// are any. It returns the compiler's words if that does not work.
func (e Exercise) build(ctx context.Context, root, program, temp string, files Files) (words string, err error) {
	// Not optimized: that takes the compiler longer than anything here.
	args := []string{"test", "-c", "-gcflags=-N -l", "-ldflags=-w", "-o", program}
	if files != nil {
		overlay, err := e.overlay(root, temp, files)
		if err != nil {
			return "", err
		}
		args = append(args, "-overlay", overlay)
	}
	build := exec.CommandContext(ctx, "go", append(args, "./"+e.Folder)...)
	build.Cancel = func() error { // so that it takes away what it has begun
		if build.Process.Signal(os.Interrupt) != nil {
			return build.Process.Kill()
		}
		return nil
	}
	build.WaitDelay = 5 * time.Second
	build.Dir = root
	output, err := build.CombinedOutput()
	if ctx.Err() != nil {
		return "", ctx.Err()
	} else if exit := new(exec.ExitError); errors.As(err, &exit) {
		return strings.TrimSpace(notCompilers.ReplaceAllString(string(output), "")), nil
	}
	if _, missing := os.Stat(program); missing != nil && err == nil {
		words = e.Folder + "/exercise_test.go is missing: git checkout it"
	}
	return words, err
}

// notCompilers are the lines that go test adds to what the compiler says.
var notCompilers = regexp.MustCompile(`(?m)^(# |FAIL\b).*\n?`)

// overlay writes the list with which go build sees other files than there are. Those of
// the reader that have no substitute are hidden from it.
func (e Exercise) overlay(root, temp string, files Files) (string, error) {
	replace := map[string]string{}
	theirs, err := e.Theirs(root)
	if err != nil {
		return "", err
	}
	for name := range theirs {
		replace[e.path(root, name)] = ""
	}
	for name, text := range files {
		substitute := filepath.Join(temp, name)
		if err := os.WriteFile(substitute, text, 0o600); err != nil {
			return "", err
		}
		replace[e.path(root, name)] = substitute
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	list := filepath.Join(temp, "overlay.json")
	return list, os.WriteFile(list, text, 0o600)
}
