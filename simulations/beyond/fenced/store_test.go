package fenced_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"redislocklab/simulations/beyond/fenced"
)

func TestStoreRefusesWhatIsOlder(t *testing.T) {
	var store fenced.Store
	var written []int64
	write := func(token int64) error {
		return store.Write(token, func() { written = append(written, token) })
	}
	require.ErrorIs(t, write(0), fenced.ErrStale, "who has no lock has no token")
	require.NoError(t, write(33))
	require.NoError(t, write(34))
	require.ErrorIs(t, write(33), fenced.ErrStale)
	require.NoError(t, write(34), "a holder may write more than once")
	require.NoError(t, write(40))
	require.Equal(t, []int64{33, 34, 34, 40}, written)
}

// Looking and writing are one step: whatever the order of those who come, what is
// written only grows.
func TestStoreComparesAndWritesInOneStep(t *testing.T) {
	var store fenced.Store
	var written []int64
	var writers sync.WaitGroup
	for token := range int64(101) {
		writers.Go(func() {
			_ = store.Write(token, func() { written = append(written, token) })
		})
	}
	writers.Wait()
	require.IsIncreasing(t, written)
	require.Contains(t, written, int64(100))
}
