package simulations

import (
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// truth is what Redis really holds: whose the lock is, whatever a lock claims.
type truth struct {
	owner *Actor        // whose command made the key come into being
	value string        // what the key holds; never compared with another's
	ends  time.Duration // when its lease ends, on the clock of the world; 0: never

	ownedSince time.Duration // and its owner can see it

	epoch   int              // how often the lock came into being
	tokens  map[string]token // by what they are
	expired int              // how many leases have ended
	newest  int              // the newest epoch that wrote to the resource
}

// token is a value of which we know whose it is: who sent it first.
type token struct {
	owner *Actor
	nth   int // of its owner's
}

// learn remembers the tokens that a sends.
func (w *World) learn(a *Actor, cmd redis.Cmder) {
	for i, arg := range cmd.Args() {
		value, ok := arg.(string)
		if !ok || i < 2 || len(value) < 16 || len(value) > 64 || strings.Contains(value, lockName) {
			continue // too short, a script, or a key
		}
		if _, known := w.tokens[value]; !known {
			a.minted++
			w.tokens[value] = token{a, a.minted}
		}
	}
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
		w.own(by)
	case exists && by != before && value != w.value:
		w.own(by)
		w.violate(OwnerOnly, "<- was "+before.Name+"'s", "%s overwrote the lock that %s holds", by.Name, before.Name)
		w.judgeLoss(before)
	case exists && by != before && touched:
		w.violate(OwnerOnly, "<- is "+before.Name+"'s", "%s changed the lease of the lock that %s holds", by.Name, before.Name)
	case !exists && before != nil && by == nil:
		w.owner = nil
		w.expired++
		w.record(nil, "")
		w.note("lease ends")
		w.judgeLoss(before)
	case !exists && before != nil:
		w.owner = nil
		w.last().Owner = w.ownerName()
		if by != before {
			w.violate(OwnerOnly, "<- was "+before.Name+"'s", "%s deleted the lock that %s holds", by.Name, before.Name)
			w.judgeLoss(before)
		}
	}
	w.value, w.ends = value, ends
	w.judgeFreedom()
}

func (w *World) own(a *Actor) {
	w.owner, w.ownedSince = a, w.clock()
	w.epoch++
	a.epoch = w.epoch
	w.last().Owner = a.Name
}

// executed records a command that Redis carried out, and what it changed.
func (w *World) executed(a *Actor, cmd redis.Cmder, err error) {
	w.commands++
	a.lostOne = false // it knows better now
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
