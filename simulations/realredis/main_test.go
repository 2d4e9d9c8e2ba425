//go:build unix

package realredis_test

import "time"

const (
	limit = 30 * time.Second // for what takes long only on a busy machine
	tick  = 5 * time.Millisecond
)
