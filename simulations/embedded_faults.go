package simulations

import (
	"time"

	"github.com/alicebob/miniredis/v2"
)

// What can befall an embedded Redis. A connection to one that is gone is closed.

// detach gives the replica what is there now, and nothing after that.
func (e *embedded) detach() {
	e.replica = newMiniredis()
	for _, key := range e.Keys() {
		switch e.Type(key) {
		case "string":
			value, _ := e.Get(key)
			_ = e.replica.Set(key, value)
		case "list":
			items, _ := e.List(key)
			_, _ = e.replica.Push(key, items...)
		default:
			panic("a replica cannot copy a " + e.Type(key) + " here")
		}
		if ttl := e.TTL(key); ttl > 0 {
			e.replica.SetTTL(key, ttl)
		}
	}
}

// failover goes on with the replica: a second server.
func (e *embedded) failover() {
	if e.replica == nil { // it has received everything
		e.detach()
	}
	e.goOnWith(e.replica)
	e.replica = nil
}

func (e *embedded) crash() {
	e.down = true
	e.Close()
}

func (e *embedded) restart() {
	if !e.down {
		e.crash()
	}
	e.Miniredis, e.down = newMiniredis(), false
}

func (e *embedded) jumpClock(d time.Duration) { e.FastForward(d) }

func (e *embedded) goOnWith(m *miniredis.Miniredis) {
	e.Close()
	e.Miniredis = m
}
