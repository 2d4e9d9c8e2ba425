//go:build unix

package realredis

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// heard is a test that only remembers what it was told.
type heard struct {
	testing.TB
	skipped, failed string
}

func (h *heard) Helper()           {}
func (h *heard) Skip(args ...any)  { h.skipped = fmt.Sprint(args...) }
func (h *heard) Fatal(args ...any) { h.failed = fmt.Sprint(args...) }

func TestWithoutTheProgram(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	t.Setenv("REQUIRE_REDIS", "")
	var h heard
	program(&h)
	require.Contains(t, h.skipped, "apt-get install redis-server")
	require.Empty(t, h.failed)

	t.Setenv("REQUIRE_REDIS", "1")
	h = heard{}
	program(&h)
	require.Contains(t, h.failed, "brew install redis")
	require.Empty(t, h.skipped)
}
