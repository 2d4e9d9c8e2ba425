//go:build unix

package realredis

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"
)

// Server is one redis-server process.
type Server struct {
	Port int
	Dir  string

	t       *testing.T
	options redis.Options // of the clients that look on
	pid     int           // 0: it does not run
	guard   io.WriteCloser
	said    *bufio.Scanner // by the guard
}

// Start starts a redis-server with these arguments beside those that every one gets: a
// port, the folder, and no persistence. It ends with t. Without the program t is skipped,
// and with REQUIRE_REDIS=1 it fails.
func Start(t *testing.T, args ...string) *Server {
	t.Helper()
	return StartWith(t, redis.Options{}, args...)
}

// StartWith is Start for a server that lets nobody in without these options: a password,
// TLS.
func StartWith(t *testing.T, options redis.Options, args ...string) *Server {
	t.Helper()
	listens := "--port"
	if options.TLSConfig != nil {
		args, listens = append(args, "--port", "0"), "--tls-port"
	}
	return start(t, options, func(port int, dir string) []string {
		return append(args, listens, fmt.Sprint(port), "--bind", "127.0.0.1", "--dir", dir, "--save", "", "--repl-diskless-sync-delay", "0")
	})
}

// start starts a server with the arguments for a port and a folder.
func start(t *testing.T, options redis.Options, args func(port int, dir string) []string) *Server {
	t.Helper()
	path := program(t)
	for range 20 { // another process may have taken the port meanwhile
		s := &Server{Port: freePort(), t: t, options: options}
		var err error
		s.Dir, err = os.MkdirTemp("", "redislocklab-")
		require.NoError(t, err)
		s.watch(append([]string{path}, args(s.Port, s.Dir)...))
		if s.run() == nil {
			return s
		}
		if !strings.Contains(s.log(), "Address already in use") {
			t.Fatalf("redis-server does not start: %s", s.log())
		}
	}
	t.Fatal("there is no free port for a redis-server")
	return nil
}

// program is the path of redis-server.
func program(t testing.TB) string {
	path, err := exec.LookPath("redis-server")
	if err == nil {
		return path
	}
	const missing = "redis-server is not installed: apt-get install redis-server, or brew install redis"
	if os.Getenv("REQUIRE_REDIS") == "1" {
		t.Fatal(missing)
	} else {
		t.Skip(missing)
	}
	return ""
}

// freePort is below the ports that the system gives to outgoing connections, and has its
// Cluster bus, 10000 higher, free as well.
func freePort() int {
	for {
		port := 10000 + rand.IntN(12000)
		if _, given := given.LoadOrStore(port, true); !given && isFree(port) && isFree(port+10000) {
			return port
		}
	}
}

var given sync.Map // ports, each to one server of this process

func isFree(port int) bool {
	listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return false
	}
	return listener.Close() == nil
}

// guard is the parent of a server, and starts and ends it when we tell it to. When we are
// gone, however that came, it ends the server and removes the folder. The server is its
// child. It is in a process
// group of its own, where Ctrl-C does not reach it; but such a group gets a hang-up when
// we end and one of its processes is stopped.
const guard = `
trap '' HUP
dir=$1; shift
end() { [ -z "$pid" ] || { kill -9 $pid; wait $pid; pid=; } 2>/dev/null; }
while read -r order; do
  case $order in
  start) "$@" >"$dir/log" 2>&1 & pid=$!; echo $pid ;;
  kill) end; echo gone ;;
  esac
done
end
rm -rf "$dir"
`

// watch starts the guard.
func (s *Server) watch(line []string) {
	cmd := exec.Command("sh", append([]string{"-c", guard, "guard", s.Dir}, line...)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	var err error
	s.guard, err = cmd.StdinPipe()
	require.NoError(s.t, err)
	stdout, err := cmd.StdoutPipe()
	require.NoError(s.t, err)
	s.said = bufio.NewScanner(stdout)
	require.NoError(s.t, cmd.Start())
	s.t.Cleanup(func() {
		_ = s.guard.Close()
		_ = cmd.Wait()
	})
}

// order tells the guard what to do, and returns what it says.
func (s *Server) order(what string) string {
	_, err := fmt.Fprintln(s.guard, what)
	require.NoError(s.t, err)
	require.True(s.t, s.said.Scan(), "the guard of a server is gone")
	return s.said.Text()
}

// run starts the process, and returns when it answers.
func (s *Server) run() (err error) {
	s.pid, err = strconv.Atoi(s.order("start"))
	require.NoError(s.t, err)
	client := s.Client()
	defer client.Close()
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end) && s.runs(); time.Sleep(5 * time.Millisecond) {
		info, err := client.Info(context.Background(), "server").Result()
		if err == nil && strings.Contains(info, fmt.Sprintf("process_id:%d\r\n", s.pid)) {
			return nil
		}
	}
	s.Kill()
	return fmt.Errorf("port %d: no answer", s.Port)
}

// runs tells whether the process has not ended by itself.
func (s *Server) runs() bool {
	state, _ := exec.Command("ps", "-o", "stat=", "-p", fmt.Sprint(s.pid)).Output()
	return len(state) > 0 && state[0] != 'Z'
}

func (s *Server) log() string {
	text, _ := os.ReadFile(filepath.Join(s.Dir, "log"))
	return string(text)
}

// Pid is the number of its process.
func (s *Server) Pid() int { return s.pid }

// Addr is where it listens.
func (s *Server) Addr() string { return fmt.Sprintf("127.0.0.1:%d", s.Port) }

// Client is a new client of this server, which sends nothing twice. Its owner closes it.
func (s *Server) Client(change ...func(*redis.Options)) *redis.Client {
	options := s.options
	options.Addr, options.MaxRetries, options.DialerRetries = s.Addr(), -1, 1
	for _, c := range change {
		c(&options)
	}
	return redis.NewClient(&options)
}

// Kill ends the process with SIGKILL, also one that is paused, and waits until it is gone.
func (s *Server) Kill() {
	s.order("kill")
	s.pid = 0
}

// Restart starts it again, on the same port and in the same folder.
func (s *Server) Restart() {
	s.t.Helper()
	require.Zero(s.t, s.pid, "it runs")
	require.NoError(s.t, s.run(), s.log())
}

// await asks until the server answers with all these words.
func (s *Server) await(question []any, words ...string) {
	s.t.Helper()
	client := s.Client()
	defer client.Close()
	eventually(s.t, func() bool {
		answer, err := client.Do(context.Background(), question...).Text()
		return err == nil && !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(answer, word) })
	}, "%s says %v", s.Addr(), words)
}

// Pause stops the process with SIGSTOP, and Continue lets it go on.
func (s *Server) Pause()    { s.signal(syscall.SIGSTOP) }
func (s *Server) Continue() { s.signal(syscall.SIGCONT) }

func (s *Server) signal(sig syscall.Signal) {
	require.NotZero(s.t, s.pid, "it does not run") // and 0 would be ourselves
	require.NoError(s.t, syscall.Kill(s.pid, sig))
}
