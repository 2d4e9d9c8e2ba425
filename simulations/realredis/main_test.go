//go:build unix

package realredis_test

import (
	"os"
	"testing"
	"time"
)

const (
	limit = 30 * time.Second // for what takes long only on a busy machine
	tick  = 5 * time.Millisecond
)

// The test binary is also the second process that some tests need.
func TestMain(m *testing.M) {
	if play, ok := roles[os.Getenv("REALREDIS_ROLE")]; ok {
		play()
		return
	}
	os.Exit(m.Run())
}

// roles are what a second process can do.
var roles = map[string]func(){
	"locker":   locker,
	"intruder": intruder,
}
