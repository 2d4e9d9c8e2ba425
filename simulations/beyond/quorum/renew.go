package quorum

import (
	"context"
	"errors"
	"time"
)

// nothingHeld is the Context of a Lock that holds nothing.
var nothingHeld = func() context.Context {
	ctx, end := context.WithCancelCause(context.Background())
	end(ErrNotHeld)
	return ctx
}()

// renewal keeps one lease until it is ended or the lease is lost.
type renewal struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	done   chan struct{}
}

// until is Redlock's validity: the lease, counted from before the first command was
// sent, less a hundredth and two milliseconds for clocks that do not run alike.
func (le *lease) until() time.Time {
	return le.sent.Add(le.ttl - le.ttl/100 - 2*time.Millisecond)
}

// grant renews the lease as of sent, and tells whether there is anything left of it.
func (le *lease) grant(sent time.Time) bool {
	le.sent = sent
	return time.Now().Before(le.until())
}

// startRenewal keeps the values of ctx and not its end: that was the budget of TryLock.
func (l *Lock) startRenewal(ctx context.Context, lease *lease) *renewal {
	r := &renewal{done: make(chan struct{})}
	r.ctx, r.cancel = context.WithCancelCause(context.WithoutCancel(ctx))
	go func() {
		defer close(r.done)
		l.keep(r, lease)
	}()
	return r
}

// keep renews the lease every third of its TTL. The alarm does not wait for an
// answer: it goes off when the lease that was granted last is over.
func (l *Lock) keep(r *renewal, lease *lease) {
	alarm := time.AfterFunc(time.Until(lease.until()), func() { r.cancel(ErrLost) })
	defer alarm.Stop()
	third := time.NewTimer(time.Until(lease.sent.Add(lease.ttl / 3)))
	defer third.Stop()
	for {
		select {
		case <-third.C:
		case <-r.ctx.Done():
			return
		}
		third.Reset(lease.ttl / 3)
		sent := time.Now()
		got := l.extend(r.ctx, lease)
		switch {
		case l.denied(got):
			r.cancel(ErrLost)
		case !l.holds(got): // the next third tries again, until the alarm
		case lease.grant(sent):
			alarm.Reset(time.Until(lease.until()))
		default:
			r.cancel(ErrLost) // the answers came too late to count
		}
	}
}

// extend is bounded by the lease that was granted last, not by the one hoped for.
func (l *Lock) extend(ctx context.Context, lease *lease) answers {
	ctx, cancel := context.WithDeadline(ctx, lease.until())
	defer cancel()
	return l.ask(ctx, lease, extend)
}

// end stops the renewal, waits for it, and returns ErrLost if the lock was lost before.
func (r *renewal) end() error {
	r.cancel(ErrNotHeld)
	<-r.done
	if errors.Is(context.Cause(r.ctx), ErrLost) {
		return ErrLost
	}
	return nil
}
