package simulations

import (
	"context"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
)

// server is the Redis of a world: how actors reach it, and what it really holds.
type server interface {
	connect() redis.UniversalClient
	look(key string) (value string, ttl time.Duration, exists bool) // ttl 0: it never ends
	dump() string                                                   // everything in it, and for how long
	close()
}

// embedded is a Redis in this process, on the clock of the bubble it was made in.
type embedded struct{ *miniredis.Miniredis }

func newEmbedded() embedded {
	m := miniredis.NewMiniRedis()
	m.ClockTTL(true)
	return embedded{m}
}

// connect avoids what would not repeat: name look-ups, handshakes, retries.
// One retry inside the client would also hide a lost reply from the lock.
func (e embedded) connect() redis.UniversalClient {
	return redis.NewClient(&redis.Options{
		Addr:                     "127.0.0.1:6379", // never dialled, but an IP needs no look-up
		Dialer:                   func(context.Context, string, string) (net.Conn, error) { return e.dial() },
		Protocol:                 2,
		DisableIdentity:          true,
		MaxRetries:               -1,
		ReadBufferSize:           512,
		WriteBufferSize:          512,
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
	})
}

func (e embedded) dial() (net.Conn, error) {
	conn, err := e.Dial()
	if err != nil {
		return nil, err
	}
	return newBufferedConn(conn), nil
}

func (e embedded) look(key string) (string, time.Duration, bool) {
	if !e.Exists(key) {
		return "", 0, false
	}
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
	return value, e.TTL(key), true
}

func (e embedded) dump() string {
	text := ""
	for _, key := range e.Keys() {
		value, ttl, _ := e.look(key)
		text += fmt.Sprintln(key, value, int64(ttl))
	}
	return text
}

func (e embedded) close() { e.Close() }
