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
	if gaveUp := failLine.FindStringIndex(output); at == nil && gaveUp != nil {
		return output[:gaveUp[0]], "It does not do the same when it is played again. Does it use package variables, or chance?"
	} else if at == nil {
		return output, "The whole process ended in the middle of it. Does the lock call os.Exit or log.Fatal?"
	}
	printed = runnersLine.ReplaceAllString(output[:at[0]], "")
	line := strings.TrimSuffix(strings.TrimSpace(output[at[0]:at[1]]), " [recovered, repanicked]")
	p, found := e.find(output[at[1]:])
	switch {
	case !found && subscription.MatchString(output):
		sentence = "A subscription never ends. Does the lock close it, on every way out?"
	case !found:
		sentence = "The process ended, and not in the lock:\n" + line
	case strings.HasPrefix(line, "panic: deadlock: "):
		sentence = fmt.Sprintf("A goroutine never ends. It stands at %s (%s).", p.inner, p.state)
	case strings.HasPrefix(line, memoryLine):
		sentence = fmt.Sprintf("It takes more and more memory at %s.", p.inner)
	case line != stuckLine:
		sentence = fmt.Sprintf("It ends the process at %s:\n%s", p.inner, line)
	case strings.HasPrefix(p.state, "sync."):
		sentence = fmt.Sprintf("It stands still at %s: it waits for a mutex that another call holds.", p.inner)
	default:
		sentence = fmt.Sprintf("It does not come back from %s: a loop without end, or without a pause?", p.outer)
	}
	return printed, sentence
}

var (
	fatalLine    = regexp.MustCompile(`(?m)^(panic: |fatal error: |` + stuckLine + `|` + memoryLine + `).*$`)
	subscription = regexp.MustCompile(`go-redis/v9\.\(\*(PubSub|channel)\)`)
	failLine     = regexp.MustCompile(`(?m)^--- FAIL: TestExercise`)
	runnersLine  = regexp.MustCompile(`(?m)^(runtime: | *--- FAIL: ).*\n`) // above a crash
	goroutine    = regexp.MustCompile(`(?m)^goroutine \d+ .*\[([^\],(]*)`)
	frame        = regexp.MustCompile(`(?m)^(created by )?(\S+?)(?:\([^()]*\)| in goroutine \d+)\n\t(\S.*):(\d+)`)
)

// place is where a goroutine stands in the reader's files: "stage3_lua/exercise/lock.go:52,
// in TryLock".
type place struct {
	state        string // "select"
	inner, outer string // the innermost call, and the outermost
}

// find looks for a goroutine that is in the reader's files: of several, one that runs, or
// one that waits for a mutex, or the first.
func (e Exercise) find(stacks string) (place, bool) {
	var places []place
	for _, stack := range strings.Split(stacks, "\n\n") {
		head := goroutine.FindStringSubmatch(stack)
		if head == nil {
			continue
		}
		p := place{state: strings.TrimSpace(head[1])}
		for _, f := range frame.FindAllStringSubmatch(stack, -1) {
			file, theirs := e.file(f[3])
			if !theirs || f[1] != "" && p.inner != "" {
				continue
			}
			p.outer = fmt.Sprintf("%s:%s, in %s", file, f[4], function(f[2]))
			p.inner = cmp.Or(p.inner, p.outer)
		}
		if p.inner != "" {
			places = append(places, p)
		}
	}
	if len(places) == 0 {
		return place{}, false
	}
	return slices.MinFunc(places, func(a, b place) int { return cmp.Compare(blame(a.state), blame(b.state)) }), true
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
