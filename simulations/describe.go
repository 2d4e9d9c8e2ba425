package simulations

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// command draws a command as a reader would type it, without key and value.
func (w *World) command(cmd redis.Cmder) string {
	args := cmd.Args()
	words := []string{w.commandName(cmd.Name(), firstArg(cmd))}
	switch cmd.Name() {
	case "set":
		for i, arg := range args[3:] {
			switch flag := strings.ToUpper(fmt.Sprint(arg)); flag {
			case "NX", "XX", "GET":
				words = append(words, flag)
			case "PX":
				words = append(words, flag, units(args[i+4], time.Millisecond))
			case "EX":
				words = append(words, flag, units(args[i+4], time.Second))
			}
		}
	case "expire":
		words = append(words, units(args[2], time.Second))
	case "pexpire":
		words = append(words, units(args[2], time.Millisecond))
	}
	return strings.Join(words, " ")
}

func (w *World) reply(cmd redis.Cmder, err error) string {
	if errors.Is(err, redis.Nil) {
		if slices.Contains(cmd.Args(), any("GET")) {
			return "free" // SET … GET: nothing was there before
		}
		return "nil"
	} else if errors.Is(err, redis.TxFailedErr) {
		return "aborted"
	} else if err != nil && strings.Contains(err.Error(), "connection refused") {
		return "refused"
	} else if err != nil {
		code, _, _ := strings.Cut(err.Error(), " ")
		return code
	}
	value := ""
	switch cmd := cmd.(type) {
	case *redis.Cmd:
		value = fmt.Sprint(cmd.Val())
	case *redis.StringCmd:
		value = cmd.Val()
	case *redis.StatusCmd:
		value = cmd.Val()
	case *redis.IntCmd:
		value = fmt.Sprint(cmd.Val())
	case *redis.DurationCmd:
		if value = seconds(cmd.Val()); cmd.Val() < 0 { // PTTL: no key, or one that never ends
			value = fmt.Sprint(int64(cmd.Val()))
		}
	case *redis.BoolCmd:
		value = map[bool]string{true: "1", false: "0"}[cmd.Val()]
	default:
		return "done"
	}
	return w.nameToken(value)
}

// nameToken names a long token after its owner: the value itself tells a reader nothing.
func (w *World) nameToken(value string) string {
	if len(value) < 16 {
		return value
	}
	if token, known := w.tokens[value]; known {
		return token.owner.Name + "'s"
	}
	return "a token"
}

// A script is named by its first line, "-- unlock.lua: …". The client sends its
// SHA-1, and once, when the server asks for it, its text.

func (a *Actor) mustLoad(cmd redis.Cmder, err error) bool {
	if cmd.Name() != "evalsha" || err == nil || !strings.HasPrefix(err.Error(), "NOSCRIPT") {
		return false
	}
	a.world.mu.Lock()
	defer a.world.mu.Unlock()
	a.loading = fmt.Sprint(cmd.Args()[1])
	return true
}

// unnamed is what Redis says of a script that it does not know. A server that runs may
// know it from before, and then we would never see the text that has its name.
func (w *World) unnamed(cmd redis.Cmder) error {
	if w.real == nil || cmd.Name() != "evalsha" {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, named := w.scripts[firstArg(cmd)]; named {
		return nil
	}
	return noScript{}
}

// noScript is an error of Redis.
type noScript struct{}

func (noScript) Error() string { return "NOSCRIPT no matching script" }
func (noScript) RedisError()   {}

// reloads tells whether cmd is the text of the script that the server has just asked for.
func (a *Actor) reloads(cmd redis.Cmder) bool {
	a.world.mu.Lock() // two goroutines of a process may come at once
	defer a.world.mu.Unlock()
	if a.loading == "" || cmd.Name() != "eval" {
		return false
	}
	text := fmt.Sprint(cmd.Args()[1])
	a.world.scripts[a.loading] = nameOf(text)
	a.world.scripts[text] = nameOf(text)
	a.loading = ""
	return true
}

func firstArg(cmd redis.Cmder) string {
	if args := cmd.Args(); len(args) > 1 {
		return fmt.Sprint(args[1])
	}
	return ""
}

// commandName is how a command is called in a timeline; first is its first argument.
func (w *World) commandName(name, first string) string {
	if name == "eval" || name == "evalsha" {
		return w.scriptName(first)
	}
	return strings.ToUpper(name)
}

func (w *World) scriptName(script string) string {
	if name, ok := w.scripts[script]; ok {
		return name
	}
	return nameOf(script)
}

func nameOf(text string) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(text, "-- "), ":")
	if !strings.HasSuffix(name, ".lua") || strings.ContainsAny(name, " \n") {
		return "a script"
	}
	return name
}

func units(n any, unit time.Duration) string {
	count, err := strconv.ParseInt(fmt.Sprint(n), 10, 64)
	if err != nil {
		return fmt.Sprint(n)
	}
	return seconds(time.Duration(count) * unit)
}

// seconds is a time in seconds, to the millisecond: "10s", "9.9s".
func seconds(d time.Duration) string {
	return strconv.FormatFloat(math.Round(d.Seconds()*1000)/1000, 'f', -1, 64) + "s"
}
