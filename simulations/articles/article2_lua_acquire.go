package articles

import (
	"context"
	_ "embed"
	"time"
)

//go:embed acquire.lua
var acquireSource string

// constantToken stands in the article's main program, and so in every process that
// runs it.
const constantToken = "unique"

// luaAcquire is article 2, way 3: SETNX and EXPIRE in one script, the release in
// another, each sent as text. The fault: the token is a constant, and so the release
// takes everybody for the owner.
type luaAcquire struct {
	listing
	token string
}

func (l *luaAcquire) TryLock(ctx context.Context, ttl time.Duration) (bool, error) {
	return l.client.Eval(deaf(ctx), acquireSource, []string{l.key}, l.token, wholeSeconds(ttl)).Bool()
}

func (l *luaAcquire) Unlock(ctx context.Context) error {
	deleted, err := l.client.Eval(deaf(ctx), unlockSource, []string{l.key}, l.token).Bool()
	if err == nil && !deleted {
		err = errNotHeld
	}
	return err
}
