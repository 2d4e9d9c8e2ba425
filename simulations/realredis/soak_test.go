//go:build unix

package realredis_test

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"redislocklab/simulations/realredis"
)

var soak = flag.Duration("soak", 5*time.Second, "how long TestSoak takes")

const crowd = 50

// Fifty processes share one lock, and now and then one works for two leases. Processes are
// killed at random, and so are connections; holders are stopped for longer than a lease.
// Nobody may come in while another is inside, unless that one stands still.
func TestSoak(t *testing.T) {
	tally := share(t, "locker", *soak)
	fmt.Printf("%d processes, %s: %s\n", crowd, *soak, tally)
	require.Empty(t, tally.overlaps[:min(5, len(tally.overlaps))])
	require.Zero(t, tally.told, "told of a loss, and was not stopped")
	require.Greater(t, tally.entries, int(soak.Seconds()), "they come in")
	require.Positive(t, tally.kills)
}

// The judge must see a lock that lets everybody in.
func TestSoakSeesOverlaps(t *testing.T) {
	require.NotEmpty(t, share(t, "intruder", time.Second).overlaps)
}

// tally is what came of it.
type tally struct {
	entries, kills, stops, cuts, told int
	longest                           time.Duration
	overlaps                          []string

	inside  map[int]bool
	stopped map[int]bool // since they asked: no lock can reach them
}

func (y *tally) String() string {
	return fmt.Sprintf("%d times inside,\n%d processes and %d connections killed, %d holders stopped,\nlongest wait %s, %d told of a loss, %d overlaps",
		y.entries, y.kills, y.cuts, y.stops, y.longest.Round(time.Millisecond), y.told, len(y.overlaps))
}

// share lets them share a lock for so long, and then ends them all.
func share(t *testing.T, role string, d time.Duration) *tally {
	server := realredis.Start(t)
	read, write, err := os.Pipe()
	require.NoError(t, err)
	y := &tally{inside: map[int]bool{}, stopped: map[int]bool{}}
	holder := make(chan int, 1) // who came in last
	judged := make(chan struct{})
	go func() {
		defer close(judged)
		for lines := bufio.NewScanner(read); lines.Scan(); {
			y.judge(lines.Text(), holder)
		}
	}()

	processes := map[int]*process{}
	next := 0
	start := func() {
		processes[next] = launch(t, role, server, write, next, 10*time.Millisecond)
		next++
	}
	for range crowd {
		start()
	}
	for end := time.Now().Add(d); time.Now().Before(end); time.Sleep(rand.N(200 * time.Millisecond)) {
		victim := pick(processes)
		select {
		case name := <-holder:
			if p := processes[name]; p != nil && rand.IntN(8) == 0 {
				p.stop(t, write)
				y.stops++
			} else if p != nil && rand.IntN(4) == 0 {
				victim = p
			}
		default:
		}
		victim.kill(write)
		delete(processes, victim.name)
		y.kills++
		start()
		y.cuts += cutOne(t, server)
	}
	for _, p := range processes {
		p.kill(write)
	}
	require.NoError(t, write.Close())
	<-judged
	require.NoError(t, read.Close())
	awaitNoKeys(t, server)
	return y
}

// judge reads one line.
func (y *tally) judge(line string, holder chan int) {
	var name int
	var what string
	var ms int
	n, _ := fmt.Sscan(line, &name, &what, &ms)
	if n < 2 {
		return
	}
	switch what {
	case "asks":
		delete(y.stopped, name)
	case "stopped":
		y.stopped[name] = true
		delete(y.inside, name)
	case "in":
		if y.stopped[name] {
			return
		}
		for other := range y.inside {
			y.overlaps = append(y.overlaps, fmt.Sprintf("%d came in, and %d was inside", name, other))
		}
		y.entries++
		y.inside[name] = true
		y.longest = max(y.longest, time.Duration(ms)*time.Millisecond)
		select {
		case <-holder:
		default:
		}
		holder <- name
	case "told":
		if !y.stopped[name] {
			y.told++
		}
		delete(y.inside, name)
	case "out", "dead":
		delete(y.inside, name)
	}
}

func pick(processes map[int]*process) *process {
	for _, p := range processes { // in any order
		return p
	}
	return nil
}

// cutOne kills a connection at random, from the server's side.
func cutOne(t *testing.T, server *realredis.Server) int {
	client := server.Client()
	defer client.Close()
	all := strings.Split(strings.TrimSpace(client.ClientList(t.Context()).Val()), "\n")
	var id int
	if _, err := fmt.Sscanf(all[rand.IntN(len(all))], "id=%d", &id); err != nil {
		return 0
	}
	return int(client.Do(t.Context(), "CLIENT", "KILL", "ID", id).Val().(int64))
}

// awaitNoKeys waits until the leases of the dead have ended.
func awaitNoKeys(t *testing.T, server *realredis.Server) {
	look := server.Client()
	defer look.Close()
	require.Eventually(t, func() bool { return look.DBSize(context.Background()).Val() == 0 }, limit, tick)
}
