//go:build unix

package bench

import (
	"encoding/xml"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"redislocklab/simulations/peers"
	"redislocklab/simulations/realredis"
)

// The test binary is the program of make bench: it starts its own servers.
var (
	measure = flag.Bool("measure", false, "measure, and print the tables: minutes")
	save    = flag.Bool("save", false, "write them into README.md as well, and the chart beside it")
)

func TestMain(m *testing.M) {
	flag.Parse()
	screen = os.Stdout
	if *measure {
		os.Stdout, _ = os.Open(os.DevNull) // the test runner has nothing to say here
	}
	status := m.Run()
	if *measure && status != 0 {
		fmt.Fprintln(os.Stderr, "it could not be measured: cd simulations/peers && go test ./... tells why")
	}
	os.Exit(status)
}

var screen *os.File

func TestMeasure(t *testing.T) {
	if !*measure {
		t.Skip("only for make bench")
	}
	measured := run(t, 300, 20, []int{2, 8, 32, 128}, 2, 2*time.Second, 1000, lease)
	fmt.Fprint(screen, measured)
	if *save && !t.Failed() {
		require.NoError(t, peers.Save("README.md", "costs", measured.String()))
		require.NoError(t, peers.Save("../../README.md", "costs", measured.short()))
		require.NoError(t, os.WriteFile("costs.svg", []byte(measured.chart()), 0o644))
	}
}

// A short run has all the tables, and a chart that is one.
func TestShortRun(t *testing.T) {
	measured := run(t, 2, 5, []int{2, 8, 32, 128}, 1, 200*time.Millisecond, 50, time.Second)
	for line := range strings.Lines(measured.String()) {
		require.LessOrEqual(t, utf8.RuneCountInString(line), 81, line)
	}
	for _, a := range measured.alone {
		commands := max(2, map[string]float64{"stage2": 3, "quorum": 6, "setnx-expire": 5}[a.name])
		require.InDelta(t, commands+0.4, float64(a.traffic.commands)/a.pairs, 0.5, "%s, and now and then a renewal", a.name)
	}
	for _, h := range measured.handoffs {
		require.Positive(t, h.times, h.name)
		require.Positive(t, h.p50, h.name)
		require.GreaterOrEqual(t, h.p99, h.p50, h.name)
		if h.name == "stage4" && h.waiters == 2 {
			require.InDelta(t, 5, h.commands(), 1, "two to ask, one to subscribe, one to take it, one to give it back")
		}
	}
	for _, h := range measured.held {
		require.Equal(t, slices.Contains([]string{"stage5", "fenced", "quorum", "rueidislock"}, h.name), h.goroutines > 0.5, h.name)
	}
	for decoder := xml.NewDecoder(strings.NewReader(measured.chart())); ; {
		_, err := decoder.Token()
		if err == io.EOF {
			break
		}
		require.NoError(t, err)
	}
}

// run measures everything once.
func run(t *testing.T, rounds, pairs int, waiters []int, times int, each time.Duration, many int, lease time.Duration) results {
	var addrs []string
	servers := []*realredis.Server{realredis.Start(t), realredis.Start(t), realredis.Start(t)}
	for _, s := range servers {
		addrs = append(addrs, s.Addr())
	}
	r := results{machine: machine(version(t, servers[0])), lease: lease}
	r.alone = uncontended(t, addrs, rounds, pairs)
	r.handoffs = handoffs(t, addrs, waiters, times, each)
	r.held = renewals(t, addrs, many, lease)
	return r
}

func version(t *testing.T, s *realredis.Server) (version string) {
	client := s.Client()
	defer client.Close()
	info, err := client.InfoMap(t.Context(), "server").Result()
	require.NoError(t, err)
	return info["Server"]["redis_version"]
}
