package fenced

import (
	"errors"
	"fmt"
	"sync"
)

// ErrStale: somebody with a newer fencing token has written already.
var ErrStale = errors.New("store: a newer fencing token has been here")

// Store is a resource that refuses whoever comes too late. It compares and writes in
// one step; a database does that with a condition: UPDATE ... WHERE fence <= $1. The zero
// Store is ready to use, by many at once.
type Store struct {
	mu     sync.Mutex
	newest int64
}

// Write calls write, unless a newer token than this one has been here, or it is the 0 of
// somebody without a lock: ErrStale. A token may come again, because a holder may write
// more than once.
func (s *Store) Write(token int64, write func()) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if token < max(s.newest, 1) {
		return fmt.Errorf("%w: %d came after %d", ErrStale, token, s.newest)
	}
	s.newest = token
	write()
	return nil
}
