package simulations

import (
	"time"

	"github.com/redis/go-redis/v9"
)

// truth is what Redis really holds: whose the lock is, whatever a lock claims.
type truth struct {
	owner  *Actor            // whose command made the key come into being
	value  string            // what the key holds; never compared with another's
	ends   time.Duration     // when its lease ends, on the clock of the world; 0: never
	epoch  int               // how often the lock came into being
	tokens map[string]*Actor // who was first seen with a value
	newest int               // the newest epoch that wrote to the resource
}

// observe compares Redis with what was known. by is the actor whose command was just
// carried out; nil: nobody's, so what is gone has ended by its TTL.
func (w *World) observe(by *Actor) {
	value, ttl, exists := w.server.look(w.key)
	before, ends := w.owner, ttl
	if ttl > 0 {
		ends += w.clock()
	}
	touched := value != w.value || ends != w.ends
	switch {
	case exists && by == nil: // nothing ends by itself except by its TTL
	case exists && before == nil:
		w.own(by, value)
	case exists && by != before && value != w.value:
		w.own(by, value)
		w.judgeLoss(before)
		w.violate(OwnerOnly, "<- was "+before.Name+"'s", "%s overwrote the lock that %s holds", by.Name, before.Name)
	case exists && by != before && touched:
		w.violate(OwnerOnly, "<- is "+before.Name+"'s", "%s changed the lease of the lock that %s holds", by.Name, before.Name)
	case !exists && before != nil && by == nil:
		w.owner = nil
		w.record(nil, "")
		w.note("lease ends")
		w.judgeLoss(before)
	case !exists && before != nil:
		w.owner = nil
		w.last().Owner = w.ownerName()
		if by != before {
			w.judgeLoss(before)
			w.violate(OwnerOnly, "<- was "+before.Name+"'s", "%s deleted the lock that %s holds", by.Name, before.Name)
		}
	}
	w.value, w.ends = value, ends
	w.judgeFreedom()
}

func (w *World) own(a *Actor, value string) {
	w.owner = a
	w.epoch++
	a.epoch = w.epoch
	if w.tokens[value] == nil {
		w.tokens[value] = a
	}
	w.last().Owner = a.Name
}

// executed records a command that Redis carried out, and what it changed.
func (w *World) executed(a *Actor, cmd redis.Cmder, err error) {
	w.record(a, w.command(cmd)+" -> "+w.reply(cmd, err))
	w.observe(a)
}

// write lands on the protected resource, which accepts whoever comes.
func (w *World) write(a *Actor) {
	w.record(a, "write accepted")
	w.judgeWrite(a)
	w.newest = max(w.newest, a.epoch)
}

func (w *World) ownerName() string {
	if w.owner == nil {
		return "-"
	}
	return w.owner.Name
}
