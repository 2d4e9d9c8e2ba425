package quorum

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
)

// This file is what a lock refuses before anything is sent, as in the stages.

var (
	// ErrNotHeld: Unlock found no lock of this *Lock's, or it had none to give back.
	ErrNotHeld = errors.New("lock: not held")
	// ErrHeld: this *Lock has the lock already. Only its Unlock ends that.
	ErrHeld = errors.New("lock: already held by this *Lock, Unlock it first")
	// ErrBusy: one *Lock is one holder, and makes one call at a time.
	ErrBusy = errors.New("lock: another call on this *Lock is running")
	// ErrInvalid: no client, a nil one or one twice, a name that is empty or has braces, a TTL under 1ms.
	ErrInvalid = errors.New("lock: invalid input")
)

// key is the lock's key. The braces are a Cluster hash tag: a second key with the
// same tag lives on the same node.
func key(name string) string { return "lock:{" + name + "}" }

// checkInput returns an ErrInvalid, or the error of a context that has ended.
func checkInput(ctx context.Context, nodes []*node, name string, ttl time.Duration) error {
	switch {
	case len(nodes) == 0:
		return fmt.Errorf("%w: there is no client", ErrInvalid)
	case slices.ContainsFunc(nodes, isNil):
		return fmt.Errorf("%w: a client is nil", ErrInvalid)
	case oneTwice(nodes):
		return fmt.Errorf("%w: a client is there twice, each node needs its own", ErrInvalid)
	case name == "":
		return fmt.Errorf("%w: the name is empty", ErrInvalid)
	case strings.ContainsAny(name, "{}"):
		return fmt.Errorf("%w: the name %q has braces, which mark the Cluster hash tag", ErrInvalid, name)
	case ttl < time.Millisecond:
		return fmt.Errorf("%w: a TTL of %v is under 1ms, the shortest that Redis counts", ErrInvalid, ttl)
	}
	return checkContext(ctx)
}

func isNil(n *node) bool {
	value := reflect.ValueOf(n.client)
	return !value.IsValid() || value.Kind() == reflect.Pointer && value.IsNil()
}

func oneTwice(nodes []*node) bool {
	for i, n := range nodes {
		same := func(other *node) bool { return reflect.ValueOf(n.client).Comparable() && other.client == n.client }
		if slices.ContainsFunc(nodes[:i], same) {
			return true
		}
	}
	return false
}

func checkContext(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("lock: the context ended before anything was sent: %w", err)
	}
	return nil
}
