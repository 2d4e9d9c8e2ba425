package simulations_test

import "redislocklab/simulations"

// The five stages as they are, and then what can be spoilt in them.
var mutants = []mutant{
	{name: "stage 1", stage: 1, breaks: simulations.OwnerOnly},
	{name: "stage 2", stage: 2, breaks: simulations.OwnerOnly},
	{name: "stage 3", stage: 3},
	{name: "stage 4", stage: 4},
	{name: "stage 5", stage: 5},

	// Whose key it is.
	{"SET without NX", 3, simulations.OwnerOnly, simulations.Bounds{}, []edit{
		{"lock.go", `"NX", "PX"`, `"PX"`},
	}},
	{"delete without compare", 3, simulations.OwnerOnly, simulations.Bounds{}, []edit{
		{"unlock.lua", "redis.call('GET', KEYS[1]) == ARGV[1]", "redis.call('EXISTS', KEYS[1]) == 1"},
	}},
	{"compare by prefix", 3, simulations.OwnerOnly, simulations.Bounds{}, []edit{
		{"lock.go", "token := rand.Text()", `token := "client-" + rand.Text()`},
		{"unlock.lua", "redis.call('GET', KEYS[1]) == ARGV[1]", "string.sub(redis.call('GET', KEYS[1]) or '', 1, 7) == string.sub(ARGV[1], 1, 7)"},
	}},
	{"one token for each client", 3, simulations.OwnerOnly, simulations.Bounds{}, []edit{
		{"lock.go", "token := rand.Text()", "token := client"},
		{"lock.go", "var unlockSource string\n", "var unlockSource string\nvar client = rand.Text()\n"},
	}},
	{"WATCH without MULTI", 3, simulations.OwnerOnly, simulations.Bounds{}, []edit{
		{"lock.go", "deleted, err := unlock.Run(ctx, l.client, []string{key(l.name)}, l.token).Int64()\n", `deleted := int64(0)
	err := l.client.Watch(ctx, func(tx *redis.Tx) error {
		owner, err := tx.Get(ctx, key(l.name)).Result()
		if owner == l.token {
			deleted, err = tx.Del(ctx, key(l.name)).Result()
		}
		if errors.Is(err, redis.Nil) {
			return nil
		}
		return err
	}, key(l.name))
`},
	}},
	{"GET, compare, DEL", 3, simulations.OwnerOnly, simulations.Bounds{}, []edit{
		{"lock.go", "deleted, err := unlock.Run(ctx, l.client, []string{key(l.name)}, l.token).Int64()\n", `deleted := int64(0)
	owner, err := l.client.Get(ctx, key(l.name)).Result()
	if owner == l.token {
		deleted, err = l.client.Del(ctx, key(l.name)).Result()
	}
	if errors.Is(err, redis.Nil) {
		err = nil
	}
`},
	}},

	// What a crash, or a lost reply, leaves behind.
	{"SET without a TTL", 4, simulations.NoOrphan, simulations.Bounds{Expiries: -1, Faults: 1}, []edit{
		{"lock.lua", ", 'PX', ARGV[2])", ")"},
	}},
	{"EXPIRE in a second command", 4, simulations.NoOrphan, simulations.Bounds{Expiries: -1, Faults: 1}, []edit{
		{"lock.lua", ", 'PX', ARGV[2])", ")"},
		{"lock.go", "return time.Duration(ms) * time.Millisecond, err", `if err == nil && ms == 0 {
		err = l.client.PExpire(ctx, key(l.name), lease.ttl).Err()
	}
	return time.Duration(ms) * time.Millisecond, err`},
	}},
	{"a new token on a retry", 4, simulations.NoOrphan, simulations.Bounds{Faults: 1}, []edit{
		{"wait.go", "lease.trouble.Store(&err)\n", "lease.trouble.Store(&err)\n\t\t\tlease.token = rand.Text()\n"},
		{"wait.go", "import (\n", "import (\n\t\"crypto/rand\"\n"},
	}},
	{"a retry does not know its own key", 4, simulations.NoOrphan, simulations.Bounds{Expiries: -1, Faults: 1}, []edit{
		{"lock.lua", "if not owner or owner == ARGV[1] then", "if not owner then"},
	}},
	{"unlock on a context that is over", 4, simulations.NoOrphan, simulations.Bounds{}, []edit{
		{"lock.go", "context.WithTimeout(context.WithoutCancel(ctx), ", "context.WithTimeout(ctx, "},
	}},
	{"won after giving up, and kept", 4, simulations.NoOrphan, simulations.Bounds{}, []edit{
		{"wait.go", "_, _ = l.release(ctx, lease) ", ""},
	}},

	// Waiting.
	{"unlock wakes nobody", 4, simulations.BoundedWait, simulations.Bounds{}, []edit{
		{"unlock.lua", "redis.pcall('PUBLISH', KEYS[1] .. ':' .. waiter, '')", "1"},
	}},
	{"a waiter does not ask again when it can hear", 4, simulations.BoundedWait, simulations.Bounds{}, []edit{
		{"wait.go", "var events <-chan any", "var events <-chan *redis.Message"},
		{"wait.go", "events = wake.ChannelWithSubscriptions()", "events, queue = wake.Channel(), true"},
	}},
	{"in the queue before it can hear", 4, simulations.BoundedWait, simulations.Bounds{Expiries: -1, Faults: 1}, []edit{
		{"wait.go", "var queue bool        // only", "queue := true //"},
		{"wait.go", "var events <-chan any", "var events <-chan *redis.Message"},
		{"wait.go", "wake.ChannelWithSubscriptions()", "wake.Channel()"},
	}},
	{"a wake-up for a waiter that died", 4, simulations.BoundedWait, simulations.Bounds{Actors: 3, Expiries: -1, Faults: 1}, []edit{
		{"unlock.lua", "if type(heard) == 'number' and heard > 0 then", "if heard then"},
	}},
	{"a waiter sleeps past its budget", 4, simulations.BoundedWait, simulations.Bounds{}, []edit{
		{"lock.go", "l.acquire(ctx, ttl, l.wait)", "l.acquire(context.WithoutCancel(ctx), ttl, l.wait)"},
	}},
	{"a waiter sleeps from the reply on", 4, simulations.BoundedWait, simulations.Bounds{Faults: 1}, []edit{
		{"wait.go", "asked := time.Now() // the answer counts from here, even if we stood still meanwhile\n\t\tleft, err := l.ask(ctx, lease, queue)",
			"left, err := l.ask(ctx, lease, queue)\n\t\tasked := time.Now()"},
	}},

	// Renewal.
	{"renewal of anybody's lease", 5, simulations.OwnerOnly, simulations.Bounds{Actors: 3, Expiries: 2}, []edit{
		{"extend.lua", "redis.call('GET', KEYS[1]) == ARGV[1]", "redis.call('EXISTS', KEYS[1]) == 1"},
	}},
	{"renewal takes anybody's key", 5, simulations.OwnerOnly, simulations.Bounds{}, []edit{
		{"extend.lua", "if redis.call('GET', KEYS[1]) == ARGV[1] then\n  return redis.call('PEXPIRE', KEYS[1], ARGV[2])",
			"if redis.call('SET', KEYS[1], ARGV[1], 'XX', 'PX', ARGV[2]) then\n  return 1"},
	}},
	{"renewal after unlock", 5, simulations.NoOrphan, simulations.Bounds{}, []edit{
		{"renew.go", "\tr.cancel(ErrNotHeld)\n\t<-r.done\n", ""},
	}},
	{"renewal adds to the old TTL", 5, simulations.NoOrphan, simulations.Bounds{Expiries: -1, Faults: 1}, []edit{
		{"extend.lua", "KEYS[1], ARGV[2])", "KEYS[1], redis.call('PTTL', KEYS[1]) + ARGV[2])"},
	}},
	{"renewal with PEXPIRE 0", 5, simulations.BoundedWait, simulations.Bounds{}, []edit{
		{"renew.go", "lease.ttl.Milliseconds()", "int64(lease.ttl.Hours())"},
	}},
	{"a renewal that failed counts", 5, simulations.Told, simulations.Bounds{Faults: 1}, []edit{
		{"renew.go", "case err != nil: // the next third tries again, until the alarm", "case err != nil:\n\t\t\talarm.Reset(lease.ttl)"},
	}},
	{"a loss is told at the next renewal only", 5, simulations.Told, simulations.Bounds{}, []edit{
		{"renew.go", "func() { r.cancel(ErrLost) }", "func() {}"},
		{"renew.go", "context.WithDeadline(ctx, lease.until())", "context.WithTimeout(ctx, lease.ttl)"},
	}},
	{"validity from the reply on", 5, simulations.Exclusion, simulations.Bounds{Faults: 1}, []edit{
		{"lock.go", "!lease.grant(sent)", "!lease.grant(time.Now())"},
		{"lock.go", "\tsent := time.Now()\n", ""},
	}},
	{"a grant that came too late", 5, simulations.Exclusion, simulations.Bounds{Faults: 1}, []edit{
		{"lock.go", "err = ErrLost // the reply took longer than the lease", ""},
	}},
	{"all is well, although nothing was deleted", 5, simulations.Told, simulations.Bounds{}, []edit{
		{"lock.go", "return errors.Join(ErrNotHeld, lost)", "return lost"},
	}},
}
