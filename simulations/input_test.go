package simulations

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"
)

var packageClause = regexp.MustCompile(`(?m)^package \w+$`)

// body reads a file of a stage without what must differ, the package's name.
func body(t *testing.T, stage, file string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", stage, file))
	require.NoError(t, err)
	return packageClause.ReplaceAllString(string(text), "package stage")
}

// The difference between two neighbouring stages is the lesson. So the files that
// teach nothing new must be the same, letter for letter.
func TestStagesShareTheirFiles(t *testing.T) {
	stages := Stages()
	for _, s := range stages[1:] {
		require.Equal(t, body(t, stages[0].Name, "input.go"), body(t, s.Name, "input.go"), s.Name)
	}
	for _, file := range []string{"wait.go", "lock.lua", "unlock.lua"} {
		require.Equal(t, body(t, "stage4_blocking", file), body(t, "stage5_renewal", file), file)
	}
	for _, file := range []string{"wait.go", "extend.lua", "unlock.lua"} { // fenced is stage 5 and a token
		require.Equal(t, body(t, "stage5_renewal", file), body(t, "simulations/beyond/fenced", file), file)
	}
}

// A lock has to fit on one or two screens.
func TestLocksStayShort(t *testing.T) {
	for i, s := range Stages() {
		limit := 80
		if i >= 3 {
			limit = 160
		}
		text, err := os.ReadFile(filepath.Join("..", s.Name, "lock.go"))
		require.NoError(t, err)
		require.Less(t, bytes.Count(text, []byte("\n")), limit, s.Name)
	}
}

// The controlled clock tells to the millisecond what a server could only tell roughly.
func TestTheLeaseIsAsLongAsAskedFor(t *testing.T) {
	for _, stage := range Stages() {
		InBubble(t, func(t *testing.T, connect func() redis.UniversalClient) {
			lock := stage.New(connect(), "order")
			taken, err := lock.TryLock(t.Context(), 1234*time.Millisecond)
			require.NoError(t, err)
			require.True(t, taken)
			require.Equal(t, 1234*time.Millisecond, connect().PTTL(t.Context(), "lock:{order}").Val(), stage.Name)
			require.NoError(t, lock.Unlock(t.Context()))
		})
	}
}
