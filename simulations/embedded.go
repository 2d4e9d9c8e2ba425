package simulations

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"
	"github.com/redis/go-redis/v9/maintnotifications"
)

// Connections break here because a story says so, and the timelines tell.
func init() { logging.Disable() }

// embedded is a Redis in this process, on the clock of the bubble it was made in.
type embedded struct {
	*miniredis.Miniredis
	replica *miniredis.Miniredis // what it holds, once it receives nothing more
	down    bool
}

func newEmbedded() *embedded { return &embedded{Miniredis: newMiniredis()} }

func newMiniredis() *miniredis.Miniredis {
	m := miniredis.NewMiniRedis()
	m.ClockTTL(true)
	return m
}

// connect avoids what would not repeat: name look-ups, handshakes, retries.
// One retry inside the client would also hide a lost reply from the lock.
func (e *embedded) connect() redis.UniversalClient {
	return redis.NewClient(&redis.Options{
		Addr:                     "127.0.0.1:6379", // never dialled, but an IP needs no look-up
		Dialer:                   func(context.Context, string, string) (net.Conn, error) { return newConn(e.dial) },
		Protocol:                 2,
		DisableIdentity:          true,
		MaxRetries:               -1,
		DialerRetries:            1,
		ReadBufferSize:           512,
		WriteBufferSize:          512,
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
	})
}

func (e *embedded) dial() (net.Conn, error) {
	if e.down {
		return nil, errRefused
	}
	return e.Dial()
}

var errRefused = &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connection refused")}

func (e *embedded) look(key string) (string, time.Time, bool) {
	if e.down || !e.Exists(key) {
		return "", time.Time{}, false
	}
	var ends time.Time
	if ttl := e.TTL(key); ttl > 0 {
		ends = time.Now().Add(ttl)
	}
	return e.text(key), ends, true
}

// text is a value of any type.
func (e *embedded) text(key string) string {
	value := ""
	switch e.Type(key) {
	case "string":
		value, _ = e.Get(key)
	case "hash":
		fields, _ := e.HKeys(key)
		for _, field := range fields {
			value += field + "=" + e.HGet(key, field) + "\n"
		}
	case "list":
		items, _ := e.List(key)
		value = strings.Join(items, "\n")
	case "set":
		items, _ := e.SMembers(key)
		value = strings.Join(items, "\n")
	case "zset":
		scores, _ := e.SortedSet(key)
		value = fmt.Sprint(scores)
	}
	return value
}

func (e *embedded) dump() string {
	text := ""
	for _, key := range e.Keys() {
		text += fmt.Sprintln(key, e.text(key), int64(e.TTL(key)))
	}
	return text
}

func (e *embedded) close() {
	if !e.down {
		e.Close()
	}
}
