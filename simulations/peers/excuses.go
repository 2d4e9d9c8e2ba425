package peers

import (
	"fmt"
	"slices"
	"strings"
)

// excuse says why a lost race is not a library's fault: it does not offer what the race
// asks for, and says so.
type excuse struct {
	columns, races string // words
	why, link      string // link: where the library says so
}

const (
	redislockSource = "https://github.com/bsm/redislock/blob/v0.9.4/"
	redsyncSource   = "https://github.com/go-redsync/redsync/blob/v4.18.1/"
	rueidisSource   = "https://github.com/redis/rueidis/blob/v1.0.79/rueidislock/"
	distlock        = "https://redis.io/docs/latest/develop/clients/patterns/distributed-locks/"
)

var excuses = []excuse{
	{"redislock", "handoff wait-budget holder-crash",
		"without a RetryStrategy it asks once", redislockSource + "redislock.go#L212-L215"},
	{"redsync", "holder-crash",
		"it tries 32 times, and WithTries makes that more", redsyncSource + "redsync.go#L74-L77"},
	{"redislock redislock*", "overrun partition",
		"a lock ends with its TTL; its holder refreshes it", redislockSource + "README.md#examples"},
	{"redsync", "overrun partition",
		"a mutex ends with its expiry; its holder looks at Until", redsyncSource + "mutex.go#L49-L52"},
	{"rueidislock' rueidislock", "wait-budget",
		"a deadline ends the wait, and the lock as well", rueidisSource + "lock.go#L260-L265"},
	{"redislock redislock* redsync redsync* redsync*3 rueidislock' rueidislock", "stop-the-world",
		"it has no fencing token, and that page says what for", distlock},
	{"redislock redislock* redsync redsync* rueidislock' rueidislock", "failover",
		"the page that its README links to begins with this race", distlock},
}

// excused is the excuse of a column for losing a race, or nil.
func excused(column, race string) *excuse {
	for i, e := range excuses {
		if slices.Contains(strings.Fields(e.columns), column) && slices.Contains(strings.Fields(e.races), race) {
			return &excuses[i]
		}
	}
	return nil
}

// notOfferedBy lists the excuses for a reader.
func notOfferedBy() (text string) {
	for _, e := range excuses {
		text += fmt.Sprintf("%s\n  by %s:\n  %s.\n  %s\n", e.races, e.columns, e.why, e.link)
	}
	return text + `partition stop-the-world failover
  by Redisson:
  RLock does not tell its holder, and has no fencing token; RFencedLock has.
  After taking a lock it asks whether a replica has it: that narrows the gap.
  https://redisson.pro/docs/data-and-services/locks-and-synchronizers/
`
}
