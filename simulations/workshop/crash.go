package workshop

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// crash says in one sentence how a lock ended the process, and where. printed is what
// came before that.
func (e Exercise) crash(output string) (printed, sentence string) {
	at := fatalLine.FindStringIndex(output)
	if at == nil {
		return output, "The whole process ended in the middle of it. Does the lock call os.Exit or log.Fatal?"
	}
	line := strings.TrimSuffix(strings.TrimSpace(output[at[0]:at[1]]), " [recovered, repanicked]")
	where, state := e.where(output[at[1]:])
	if where == "" {
		return output, "The process ended, and not in the lock: " + line
	}
	switch {
	case strings.Contains(line, "deadlock"):
		sentence = "A goroutine never ends. It stands at " + where + " (" + state + ")."
	case line != stuckLine:
		sentence = "It ends the process at " + where + ":\n" + line
	case strings.HasPrefix(state, "run"):
		sentence = "A loop without end: it does not come back from " + where + "."
	case strings.HasPrefix(state, "sync."):
		sentence = "It stands still at " + where + ": it waits for a mutex that nobody unlocks."
	default:
		sentence = "It does not come back from " + where + " (" + state + ")."
	}
	return output[:at[0]], sentence
}

var (
	fatalLine = regexp.MustCompile(`(?m)^(panic: |fatal error: |` + stuckLine + `).*$`)
	goroutine = regexp.MustCompile(`(?m)^goroutine \d+ .*\[([^\],(]*)`)
	frame     = regexp.MustCompile(`(?m)^(?:created by )?(\S+?)(?:\(.*\)| in goroutine \d+)\n\t(\S.*):(\d+)`)
)

// where finds the place in the reader's files, "stage3_lua/exercise/lock.go:52, in
// TryLock", and what the goroutine does there: of several, one that runs, or one that
// waits for a mutex, or the first.
func (e Exercise) where(stacks string) (where, state string) {
	type place struct{ where, state string }
	var places []place
	for _, stack := range strings.Split(stacks, "\n\n") {
		head := goroutine.FindStringSubmatch(stack)
		if head == nil {
			continue
		}
		for _, f := range frame.FindAllStringSubmatch(stack, -1) {
			if file, found := e.file(f[2]); found {
				places = append(places, place{fmt.Sprintf("%s:%s, in %s", file, f[3], function(f[1])), strings.TrimSpace(head[1])})
				break
			}
		}
	}
	if len(places) == 0 {
		return "", ""
	}
	slices.SortStableFunc(places, func(a, b place) int { return cmp.Compare(blame(a.state), blame(b.state)) })
	return places[0].where, places[0].state
}

func blame(state string) int {
	switch {
	case strings.HasPrefix(state, "run"): // running, runnable
		return 0
	case strings.HasPrefix(state, "sync."):
		return 1
	}
	return 2
}

// file is a file of the reader's, from the root of the repository.
func (e Exercise) file(path string) (string, bool) {
	at := strings.LastIndex(path, e.Folder+"/")
	if at < 0 || strings.HasSuffix(path, "exercise_test.go") {
		return "", false
	}
	return path[at:], true
}

// function is the short name of "redislocklab/stage3_lua/exercise.(*Lock).Lock.func1".
func function(full string) string {
	full = full[strings.LastIndex(full, "/")+1:]
	_, name, _ := strings.Cut(full, ".")
	name = strings.TrimPrefix(name, "(*Lock).")
	name, _, _ = strings.Cut(name, ".func")
	return name
}
