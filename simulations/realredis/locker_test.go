//go:build unix

package realredis_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"redislocklab/simulations/realredis"
	renewal "redislocklab/stage5_renewal"
)

// process is a client in a process of its own, which takes the lock again and again. What
// it does, it writes to a pipe that all of them share, one line for each thing:
//
//	7 asks
//	7 in 132        after so many milliseconds
//	7 told          that its lock is gone
//	7 out
//	7 stopped, 7 dead: these write those who did it
//
// The lines stand there in the order in which they were written, whoever wrote them.
type process struct {
	*exec.Cmd
	name int
	life io.Closer // it ends when this is closed, or we are no more
}

// launch starts one. work is about how long it stays inside.
func launch(t *testing.T, role string, server *realredis.Server, lines *os.File, name int, work time.Duration) *process {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	p := &process{Cmd: exec.Command(self), name: name}
	p.Env = append(os.Environ(), "REALREDIS_ROLE="+role, "REALREDIS_ADDR="+server.Addr(),
		fmt.Sprintf("REALREDIS_NAME=%d", name), "REALREDIS_WORK="+work.String())
	p.ExtraFiles = []*os.File{lines}
	p.Stderr = os.Stderr
	life, err := p.StdinPipe()
	require.NoError(t, err)
	p.life = life
	require.NoError(t, p.Start())
	return p
}

// stop lets it stand still for longer than its lease. A process of its own lets it go on,
// also when we are no more.
func (p *process) stop(t *testing.T, lines *os.File) {
	goesOn := exec.Command("sh", "-c", fmt.Sprintf("sleep %.1f; kill -CONT %d", (3*lease/2).Seconds(), p.Process.Pid))
	goesOn.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // where Ctrl-C does not reach it
	require.NoError(t, goesOn.Start())
	_ = p.Process.Signal(syscall.SIGSTOP)
	fmt.Fprintf(lines, "%d stopped\n", p.name)
	go func() { _ = goesOn.Wait() }()
}

// kill ends it with SIGKILL; then it says so in the pipe for it.
func (p *process) kill(lines *os.File) {
	_ = p.Process.Kill()
	_ = p.Wait()
	_ = p.life.Close()
	fmt.Fprintf(lines, "%d dead\n", p.name)
}

func locker() {
	client := redis.NewClient(&redis.Options{Addr: os.Getenv("REALREDIS_ADDR"), MaxRetries: -1})
	lives(renewal.New(client, "soak"))
}

// intruder is a lock that lets everybody in, so that the judge has something to see.
func intruder() { lives(open{}) }

type open struct{}

func (open) Lock(context.Context, time.Duration) error { return nil }
func (open) Unlock(context.Context) error              { return nil }
func (open) Context() context.Context                  { return context.Background() }

func lives(lock interface {
	Lock(context.Context, time.Duration) error
	Unlock(context.Context) error
	Context() context.Context
}) {
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	work, err := time.ParseDuration(os.Getenv("REALREDIS_WORK"))
	if err != nil {
		panic(err)
	}
	lines := os.NewFile(3, "lines")
	say := func(format string, args ...any) {
		fmt.Fprintf(lines, os.Getenv("REALREDIS_NAME")+" "+format+"\n", args...)
	}
	ctx := context.Background()
	for {
		say("asks")
		asked := time.Now()
		if err := lock.Lock(ctx, lease); err != nil {
			_ = lock.Unlock(ctx) // it may be ours
			continue
		}
		say("in %d", time.Since(asked).Milliseconds())
		stay := work/2 + rand.N(work)
		if rand.IntN(100) == 0 {
			stay = 2 * lease // the watchdog must keep it
		}
		select {
		case <-lock.Context().Done():
			say("told")
		case <-time.After(stay):
			say("out")
		}
		for range 3 { // a broken connection leaves it unsaid whether it was given back
			if lock.Unlock(ctx) == nil {
				break
			}
		}
	}
}
