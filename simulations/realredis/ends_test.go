//go:build unix

package realredis_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"redislocklab/simulations/realredis"
)

// TestThatEndsBadly is for a second process: it starts five servers, stops one, kills one,
// and ends in the way that it is told to.
func TestThatEndsBadly(t *testing.T) {
	end := os.Getenv("REALREDIS_END")
	if end == "" {
		t.Skip("for TestServersEndWithTheirTest")
	}
	sentinel := realredis.StartSentinel(t)
	for _, s := range append(sentinel.Sentinels, sentinel.Primary, sentinel.Replica) {
		fmt.Printf("server %d %s\n", s.Pid(), s.Dir)
	}
	sentinel.Replica.Pause()
	sentinel.Primary.Kill() // its folder is there still
	fmt.Println("ready")
	switch end {
	case "panic":
		panic("as asked")
	case "failure":
		t.FailNow()
	}
	time.Sleep(time.Hour)
}

// However a test ends, no server is left, and no folder.
func TestServersEndWithTheirTest(t *testing.T) {
	realredis.Start(t) // or skip: the second process could not say so
	for name, end := range map[string]func(p *os.Process) error{
		"panic":     nil,
		"failure":   nil,
		"timeout":   nil, // after twenty seconds
		"killed":    func(p *os.Process) error { return p.Kill() },
		"interrupt": func(p *os.Process) error { return syscall.Kill(-p.Pid, syscall.SIGINT) }, // Ctrl-C is for the whole group
		"terminate": func(p *os.Process) error { return p.Signal(syscall.SIGTERM) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			self, err := os.Executable()
			require.NoError(t, err)
			cmd := exec.Command(self, "-test.run=^TestThatEndsBadly$", "-test.timeout=20s")
			cmd.Env = append(os.Environ(), "REALREDIS_END="+name)
			cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
			out, err := cmd.StdoutPipe()
			require.NoError(t, err)
			require.NoError(t, cmd.Start())
			pids, dirs := map[int]bool{}, []string{}
			lines := bufio.NewScanner(out)
			for lines.Scan() && lines.Text() != "ready" {
				var pid int
				var dir string
				if n, _ := fmt.Sscanf(lines.Text(), "server %d %s", &pid, &dir); n == 2 {
					pids[pid], dirs = true, append(dirs, dir)
				}
			}
			require.Len(t, pids, 5)
			if end != nil {
				require.NoError(t, end(cmd.Process))
			}
			_, _ = io.Copy(io.Discard, out)
			require.Error(t, cmd.Wait())
			require.Eventually(t, func() bool {
				for pid := range pids {
					if runs(pid) {
						return false
					}
				}
				for _, dir := range dirs {
					if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
						return false
					}
				}
				return true
			}, limit, tick, "a server or its folder is left")
		})
	}
}

// runs tells whether a redis-server has this number.
func runs(pid int) bool {
	said, _ := exec.Command("ps", "-o", "stat=,comm=", "-p", fmt.Sprint(pid)).Output()
	return strings.Contains(string(said), "redis-server") && !strings.HasPrefix(string(said), "Z")
}
