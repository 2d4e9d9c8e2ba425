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
	args    []string
	hasFile bool          // that says all
	options redis.Options // of the clients that look on
	pid     int
	guard   io.WriteCloser // closed: the server ends
	ended   chan struct{}
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
	s := newServer(t, options, args)
	for range 20 { // another process may have taken the port meanwhile
		s.Port = freePort()
		if s.run() == nil {
			return s
		}
		if !strings.Contains(s.log(), "Address already in use") {
			break
		}
	}
	t.Fatalf("redis-server does not start: %s", s.log())
	return nil
}

// startAt is for a server whose file says all.
func startAt(t *testing.T, port int, file string, args ...string) *Server {
	t.Helper()
	s := newServer(t, redis.Options{}, append([]string{file}, args...))
	s.Port, s.hasFile = port, true
	require.NoError(t, s.run(), s.log())
	return s
}

func newServer(t *testing.T, options redis.Options, args []string) *Server {
	t.Helper()
	program(t)
	dir, err := os.MkdirTemp("", "redislocklab-")
	require.NoError(t, err)
	s := &Server{Dir: dir, t: t, args: args, options: options}
	t.Cleanup(func() {
		s.Kill()
		_ = os.RemoveAll(dir)
	})
	return s
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

// guard is the parent of a server. It holds a pipe from us, and when we are gone, however
// that came, it ends the server and removes its folder. The server is its child and not
// yet reaped, so the number it kills cannot be another's. It is in a process group of its
// own, where Ctrl-C does not reach it; but such a group gets a hang-up when we end and one
// of its processes is stopped.
const guard = `
trap '' HUP
dir=$1; shift
"$@" >"$dir/log" 2>&1 &
echo $!
read -r end
kill -9 $!
wait $! 2>/dev/null
[ "$end" = end ] || rm -rf "$dir"
`

// run starts the process, and returns when it answers.
func (s *Server) run() error {
	listen := []string{"--port", fmt.Sprint(s.Port)}
	if s.options.TLSConfig != nil {
		listen = []string{"--port", "0", "--tls-port", fmt.Sprint(s.Port)}
	}
	line := append([]string{"-c", guard, "guard", s.Dir, program(s.t)}, s.args...)
	if !s.hasFile {
		line = append(line, append(listen, "--bind", "127.0.0.1", "--dir", s.Dir, "--save", "", "--repl-diskless-sync-delay", "0")...)
	}
	cmd := exec.Command("sh", line...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	stdin, err := cmd.StdinPipe()
	require.NoError(s.t, err)
	stdout, err := cmd.StdoutPipe()
	require.NoError(s.t, err)
	require.NoError(s.t, cmd.Start())
	said, err := bufio.NewReader(stdout).ReadString('\n')
	require.NoError(s.t, err)
	s.pid, err = strconv.Atoi(strings.TrimSpace(said))
	require.NoError(s.t, err)
	s.guard, s.ended = stdin, make(chan struct{})
	go func() {
		_ = cmd.Wait()
		close(s.ended)
	}()
	if err := s.awaitAnswer(); err != nil {
		s.Kill()
		return err
	}
	return nil
}

// awaitAnswer asks until the server answers, and it is this one.
func (s *Server) awaitAnswer() error {
	client := s.Client()
	defer client.Close()
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		info, err := client.Info(context.Background(), "server").Result()
		if err == nil && strings.Contains(info, fmt.Sprintf("process_id:%d\r\n", s.pid)) {
			return nil
		}
		if strings.Contains(s.log(), "Address already in use") {
			break
		}
	}
	return fmt.Errorf("port %d: no answer", s.Port)
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
	if s.guard == nil {
		return
	}
	_, _ = io.WriteString(s.guard, "end\n")
	_ = s.guard.Close()
	<-s.ended
	s.guard = nil
}

// Restart starts it again, on the same port and in the same folder.
func (s *Server) Restart() {
	s.t.Helper()
	require.Nil(s.t, s.guard, "it runs")
	require.NoError(s.t, s.run())
}

// Pause stops the process with SIGSTOP, and Continue lets it go on.
func (s *Server) Pause()    { require.NoError(s.t, syscall.Kill(s.pid, syscall.SIGSTOP)) }
func (s *Server) Continue() { require.NoError(s.t, syscall.Kill(s.pid, syscall.SIGCONT)) }
