package simulations_test

import (
	"bufio"
	"fmt"
	"net"
	"testing"

	"github.com/stretchr/testify/require"

	"redislocklab/simulations"
	"redislocklab/simulations/beyond"
)

// Whatever is wrong with it: the error says so, and has no password in it.
func TestBadURLs(t *testing.T) {
	wrong := answering(t, "-WRONGPASS invalid username-password pair for s3cret\r\n")
	old := answering(t, "-ERR Error running script: @user_script: 1: Unknown Redis command called from script\r\n")
	readonly := answering(t, "-READONLY You can't write against a read only replica.\r\n")
	cluster := answering(t, "-MOVED 1 10.0.0.1:6379\r\n")
	for url, want := range map[string]string{
		"localhost:6379":                         "is not like redis://",
		"http://u:s3cret@localhost":              "is not like redis://",
		"redis://u:s3cret@localhost:port":        "is not like redis://",
		"redis://u:s3cret@localhost/ten":         "is not like redis://",
		"redis://u:s3cret@localhost?no_such=1":   "is not like redis://",
		"redis://u:pa/s3cret@localhost":          "is not like redis://",
		"redis://u:12/s3cret@localhost":          "is not like redis://",
		"redis://u:12#s3cret@localhost":          "is not like redis://",
		"redis://u:12?s3cret@localhost":          "is not like redis://",
		"redis://u:s3cret%zz@localhost":          "is not like redis://",
		"redis://u:s3cret@127.0.0.1:1":           "connection refused",
		"redis://u:s3cret@" + wrong:              "WRONGPASS, says the server",
		"redis://u:s3cret@" + old:                "Redis 7.0",
		"redis://u:s3cret@" + cluster + "/0":     "Cluster",
		"redis://u:s3cret@" + readonly:           "READONLY",
		"redis://u:s3cret@no-such-host.invalid/": "no such host",
		"redis://:s3cret:6379":                   "REDIS_URL: ", // the host is forgotten
	} {
		t.Run(want, func(t *testing.T) {
			t.Setenv("REDIS_URL", url)
			_, err := simulations.RealFromEnvironment()
			require.ErrorContains(t, err, want)
			require.NotContains(t, err.Error(), "s3cret")
		})
	}
	t.Setenv("REDIS_URL", "")
	real, err := simulations.RealFromEnvironment()
	require.NoError(t, err)
	require.Nil(t, real, "the races are simulated")
}

// answering is the address of a server that says the same to everything.
func answering(t *testing.T, reply string) string {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				for lines := bufio.NewScanner(conn); lines.Scan(); {
					if text := lines.Text(); len(text) > 0 && text[0] == '*' {
						fmt.Fprint(conn, reply)
					}
				}
			}()
		}
	}()
	return listener.Addr().String()
}

// Nobody's server is ended, and no other server is made up.
func TestWhatAServerOfOnesOwnCannotPlay(t *testing.T) {
	real := &simulations.Real{}
	for _, scenario := range beyond.Rows() {
		for _, subject := range beyond.Columns() {
			err := real.CanPlay(scenario, subject)
			switch {
			case scenario.OwnServers:
				require.ErrorContains(t, err, "servers of its own")
			case subject.Name == "quorum":
				require.ErrorContains(t, err, "needs 3 servers")
			default:
				require.NoError(t, err)
			}
		}
	}
}
