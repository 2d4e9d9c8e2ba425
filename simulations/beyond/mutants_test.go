package beyond_test

import (
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var thorough = flag.Bool("thorough", false, "spoil the two locks, and see their tests fail; explore with a fault: a minute")

// mutant is one thing spoilt in a lock, and the test that must see it.
type mutant struct{ name, file, old, new, in, sees string }

var mutants = []mutant{
	{"no new token", "fenced/lock.lua", "or redis.call('INCR', KEYS[3])", "or redis.call('GET', KEYS[3]) or '1'", "./fenced", "TestTokensGrow"},
	{"a token for every question", "fenced/lock.lua", "owner and redis.call('GET', KEYS[3]) or ", "", "./fenced", "TestALostReplyCostsNoToken"},
	{"a counter that ends", "fenced/lock.lua", "  return {0,", "  redis.call('PEXPIRE', KEYS[3], ARGV[2])\n  return {0,", "./fenced", "TestTheCounterStays"},
	{"a store that looks only for equals", "fenced/store.go", "token < max(s.newest, 1)", "token == s.newest", "./fenced", "TestStoreRefusesWhatIsOlder"},
	{"a store that forgets", "fenced/store.go", "	s.newest = token\n", "", "./fenced", "TestStoreRefusesWhatIsOlder"},
	{"half is enough", "quorum/nodes.go", "len(l.nodes)/2 + 1", "(len(l.nodes) + 1) / 3", ".", "TestScenarios"},
	{"all are needed", "quorum/nodes.go", "len(l.nodes)/2 + 1", "len(l.nodes)", "./quorum", "TestAMajorityIsEnough"},
	{"nothing is given back", "quorum/lock.go", "	l.ask(ctx, lease, unlock)\n", "", "./quorum", "TestASplitVoteIsGivenBack"},
	{"a release that overtakes", "quorum/lock.go", "make(chan struct{}, 1)", "make(chan struct{}, 9)", ".", "TestAReleaseDoesNotOvertake"},
	{"nobody waits for a turn", "quorum/nodes.go", "case <-ctx.Done():\n\t\treturn", "default:\n\t\treturn", "./quorum", "TestAReleaseUnderWayIsWaitedFor"},
	{"everywhere is given back", "quorum/nodes.go", "if !asked.Load()", "if false", "./quorum", "TestRefusedTriesPileUpNothing"},
	{"a lease that is over counts", "quorum/lock.go", "l.holds(got) && lease.grant(lease.sent)", "l.holds(got)", "./quorum", "TestNothingIsLeftOfTheLease"},
	{"a release that the caller's context ends", "quorum/lock.go", "context.WithoutCancel(ctx), l.lease", "ctx, l.lease", "./quorum", "TestUnlockWorksAlthoughTheContextHasEnded"},
	{"a minute for a node", "quorum/nodes.go", "min(lease.ttl/10, time.Second)", "lease.ttl/10", "./quorum", "TestANodeHasASecondAtMost"},
	{"a counter above 2^53", "fenced/lock.lua", "fence >= 2^53", "false", "./fenced", "TestACounterThatIsOfNoUse"},
	{"taken before it is counted", "fenced/lock.lua", "  local fence =", "  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])\n  local fence =", "./fenced", "TestACounterThatIsOfNoUse"},
	{"a node is waited for", "quorum/nodes.go", "min(lease.ttl/10, time.Second)", "lease.ttl", "./quorum", "TestASlowNode"},
	{"no drift", "quorum/renew.go", "le.ttl - le.ttl/100 - 2*time.Millisecond", "le.ttl", "./quorum", "TestItEndsBeforeTheNodesDo"},
	{"validity from the replies", "quorum/lock.go", "lease.grant(lease.sent)", "lease.grant(time.Now())", "./quorum", "TestSlowNodesCountFromBefore"},
	{"renewed by a minority", "quorum/renew.go", "case !l.holds(got):", "case got.yes == 0:", "./quorum", "TestItEndsBeforeTheNodesDo"},
	{"delete without compare", "quorum/unlock.lua", "redis.call('GET', KEYS[1]) == ARGV[1]", "redis.call('EXISTS', KEYS[1]) == 1", "./quorum", "TestAMajorityIsEnough"},
	{"SET without NX", "quorum/lock.lua", "owner and owner ~= ARGV[1]", "false", "./quorum", "TestAMajorityIsEnough"},
	{"loss is not told", "quorum/renew.go", "case l.denied(got):\n", "case false:\n", "./quorum", "TestKeysThatAreGone"},
}

func TestMutantsAreSeen(t *testing.T) {
	if !*thorough {
		t.Skip("go test -count=1 ./simulations/beyond -args -thorough")
	}
	for _, m := range mutants {
		t.Run(m.name, func(t *testing.T) {
			path, err := filepath.Abs(m.file)
			require.NoError(t, err)
			source, err := os.ReadFile(path)
			require.NoError(t, err)
			require.Equal(t, 1, strings.Count(string(source), m.old), "the edit does not apply")
			spoilt := filepath.Join(t.TempDir(), filepath.Base(path))
			require.NoError(t, os.WriteFile(spoilt, []byte(strings.Replace(string(source), m.old, m.new, 1)), 0o644))
			overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{path: spoilt}})
			require.NoError(t, err)
			overlayFile := filepath.Join(t.TempDir(), "overlay.json")
			require.NoError(t, os.WriteFile(overlayFile, overlay, 0o644))

			said, err := exec.CommandContext(t.Context(), "go", "test", "-vet=off", "-timeout=5s", "-overlay", overlayFile, "-run", "^"+m.sees+"$", m.in).CombinedOutput()
			require.Error(t, err, "nobody has seen it:\n%s", said)
			require.Contains(t, string(said), m.sees, "it does not compile")
		})
	}
}
