package lab

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The test binary is the lab's program: "lab lesson 3" plays a lesson. With the flags
// of go test it is an ordinary test.

var (
	command []string
	status  int
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && strings.HasPrefix(os.Args[1], "-test.") { // as go test calls it
		status = m.Run()
		if copied, err := copied(); err == nil {
			_ = os.RemoveAll(copied)
		}
		os.Exit(status)
	}
	command = os.Args[1:]
	if len(command) > 0 && strings.HasPrefix(command[0], "-") {
		command = []string{"help"}
	}
	os.Args = []string{os.Args[0], "-test.run=^TestCommand$", "-test.timeout=" + patience(command)}
	out := os.Stdout
	os.Stdout, _ = os.Open(os.DevNull) // the test runner has nothing to say here
	terminal = out
	if m.Run() != 0 && status == 0 {
		fmt.Fprintln(os.Stderr, "a race could not be played; go test ./simulations tells why")
		status = 1
	}
	os.Exit(status)
}

var terminal *os.File

func TestCommand(t *testing.T) {
	if command == nil {
		t.Skip("only for the lab's program")
	}
	root, err := findRoot()
	if err == nil {
		lab := &Lab{T: t, Root: root, Out: terminal}
		if isTerminal(terminal) {
			lab.Progress = terminal
		}
		err = lab.Run(command, colours(terminal))
	}
	if code := exit(1); errors.As(err, &code) {
		status = int(code) // all is said
	} else if err != nil {
		fmt.Fprintln(os.Stderr, err)
		status = 1
	}
}

// patience is how long a command may take. Some take what they need.
func patience(command []string) string {
	endless := []string{"explore", "growth", "exercise", "progress", "watch", "exercises-check"}
	if len(command) > 0 && slices.Contains(endless, command[0]) {
		return "0"
	}
	if os.Getenv("REDIS_URL") != "" { // in real time
		return "10m"
	}
	return "60s"
}

// findRoot returns the folder of go.mod, here or above.
func findRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		if filepath.Dir(dir) == dir {
			return "", fmt.Errorf("run this inside the repository: no go.mod here or above")
		}
		dir = filepath.Dir(dir)
	}
}
