package articles

import (
	"context"

	"github.com/redis/go-redis/v9"
)

// unlockScript is made once for the process. Making it sends nothing to Redis.
var unlockScript = redis.NewScript(unlockSource)

// lua is article 1, part 3: the owner's lock with the release in a script. The fault:
// the script's 0 is thrown away, so a holder is never told that its lease had ended
// and its work was not alone.
type lua struct{ owner }

func (l *lua) Unlock(ctx context.Context) error {
	return unlockScript.Run(deaf(ctx), l.client, []string{l.key}, l.value()).Err()
}
