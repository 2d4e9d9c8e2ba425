package workshop

import "slices"

// What people write: answers that are right, each in its own way, and the usual mistakes.
var answers = []answer{
	{exercise: 1, name: "SetNX with a TTL", edits: []edit{
		{setnxAndExpire, "var err error\n\tl.held, err = l.client.SetNX(ctx, key(l.name), \"held\", ttl).Result()\n"},
	}},
	{exercise: 1, name: "SETNX and PEXPIRE in a script", edits: []edit{
		{setnxAndExpire, `taken, err := l.client.Eval(ctx, "return redis.call('SETNX', KEYS[1], 'held') == 1 and redis.call('PEXPIRE', KEYS[1], ARGV[1])",
		[]string{key(l.name)}, ttl.Milliseconds()).Bool()
	if errors.Is(err, redis.Nil) {
		return false, nil
	}
	l.held = taken && err == nil
`},
		{"\t\"context\"\n", "\t\"context\"\n\t\"errors\"\n"},
	}},
	{exercise: 1, name: "the third hint", edits: []edit{
		{setnxAndExpire + "\treturn l.held, err\n", "hint 0"},
		{"\t\"context\"\n", "\t\"context\"\n\t\"errors\"\n"},
	}},
	{exercise: 1, name: "a transaction", edits: []edit{
		{setnxAndExpire, `var taken *redis.BoolCmd
	_, err := l.client.TxPipelined(ctx, func(p redis.Pipeliner) error {
		taken = p.SetNX(ctx, key(l.name), "held", 0)
		p.Do(ctx, "PEXPIRE", key(l.name), ttl.Milliseconds(), "NX")
		return nil
	})
	l.held = err == nil && taken.Val()
`},
	}},
	{exercise: 1, name: "a shorter TTL", breaks: "the contract", rule: "the TTL it was asked for", edits: []edit{
		{setnxAndExpire, "var err error\n\tl.held, err = l.client.SetNX(ctx, key(l.name), \"held\", min(ttl, time.Second)).Result()\n"},
	}},
	{exercise: 1, name: "PEXPIRE first", breaks: "the contract", rule: "TryLock says false", edits: []edit{
		{setnxAndExpire, `if err := l.client.PExpire(ctx, key(l.name), ttl).Err(); err != nil {
		return false, err
	}
	var err error
	l.held, err = l.client.Do(ctx, "SETNX", key(l.name), "held").Bool()
`},
	}},
	{exercise: 1, name: "without NX", breaks: "the contract", rule: "TryLock says false", edits: []edit{
		{setnxAndExpire, "err := l.client.Set(ctx, key(l.name), \"held\", ttl).Err()\n\tl.held = err == nil\n"},
	}},
	{exercise: 1, name: "seconds for milliseconds", breaks: "the contract", rule: "TryLock says false", edits: []edit{
		{setnxAndExpire, "taken, err := l.client.Do(ctx, \"SET\", key(l.name), \"held\", \"NX\", \"EX\", ttl.Milliseconds()).Text()\n\tif err == redis.Nil {\n\t\terr = nil\n\t}\n\tl.held = taken == \"OK\"\n"},
	}},

	{exercise: 2, name: "the third hint of 2", edits: []edit{
		ownToken, ownField, ownNoField, ownImport, ownReset, {setHeld, "hint 0"}, {plainDelete, "hint 1"},
	}},
	{exercise: 2, name: "SetNX with a token that is not kept", edits: []edit{
		ownToken, ownField, ownNoField, ownImport, ownReset, asksFirst,
		{setHeld, "taken, err := l.client.SetNX(ctx, key(l.name), rand.Text(), ttl).Result()\n\tif taken {\n\t\tl.token = \"?\"\n\t}\n\treturn taken, err\n"},
	}, breaks: "the contract"},
	{exercise: 2, name: "the time as a token", breaks: "the contract", rule: "a token of its own", edits: []edit{
		ownToken, ownField, ownNoField, ownReset, asksFirst, {"\t\"errors\"\n", "\t\"errors\"\n\t\"fmt\"\n"},
		{setHeld, "token := fmt.Sprint(time.Now().UnixNano())\n\ttaken, err := l.client.SetNX(ctx, key(l.name), token, ttl).Result()\n\tif taken {\n\t\tl.token = token\n\t}\n\treturn taken, err\n"},
	}},
	{exercise: 2, name: "SetNX with a token, kept", edits: []edit{
		ownToken, ownField, ownNoField, ownImport, ownReset, asksFirst,
		{setHeld, "token := rand.Text()\n\ttaken, err := l.client.SetNX(ctx, key(l.name), token, ttl).Result()\n\tif taken {\n\t\tl.token = token\n\t}\n\treturn taken, err\n"},
	}},

	{exercise: 3, name: "a script in a string", edits: []edit{
		{getCompareDel, "deleted, err := l.client.Eval(ctx, \"if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0\", []string{key(l.name)}, l.token).Int64()\n"},
	}},
	{exercise: 3, name: "WATCH and MULTI", edits: []edit{
		{getCompareDel, `deleted := int64(0)
	err := l.client.Watch(ctx, func(tx *redis.Tx) error {
		owner, err := tx.Get(ctx, key(l.name)).Result()
		if err != nil || owner != l.token {
			return err
		}
		_, err = tx.TxPipelined(ctx, func(p redis.Pipeliner) error {
			p.Del(ctx, key(l.name))
			return nil
		})
		if err == nil {
			deleted = 1
		}
		return err
	}, key(l.name))
	if errors.Is(err, redis.TxFailedErr) {
		err = nil
	}
`},
	}},
	{exercise: 3, name: "a script that does not compare", breaks: "the contract", rule: "differs in one letter", edits: []edit{
		{getCompareDel, "deleted, err := l.client.Eval(ctx, \"return redis.call('DEL', KEYS[1])\", []string{key(l.name)}).Int64()\n"},
	}},
	{exercise: 3, name: "everybody's token", breaks: "the contract", rule: "TryLock says false", edits: []edit{
		{"token := rand.Text()", "token := \"mine\""},
		{"\t\"crypto/rand\"\n", ""},
	}},
	{exercise: 3, name: "the third hint of 3", edits: []edit{
		{"new unlock.lua", "hint 0"},
		{"// Lock is the lock at", "hint 1\n\n// Lock is the lock at"},
		{"\t\"errors\"\n", "\t_ \"embed\"\n"},
		{getCompareDel + "\tif err != nil && !errors.Is(err, redis.Nil) {\n\t\treturn err\n\t}\n", "hint 2"},
		{"\tif errors.Is(err, redis.Nil) || before", "\tif err == redis.Nil || before"},
	}},
	{exercise: 3, name: "a step back", breaks: "crash-before-expire", edits: []edit{
		{`before, err := l.client.Do(ctx, "SET", key(l.name), token, "NX", "PX", ttl.Milliseconds(), "GET").Text()
	if errors.Is(err, redis.Nil) || before == token {`, `taken, err := l.client.Do(ctx, "SETNX", key(l.name), token).Bool()
	if taken && err == nil {
		err = l.client.PExpire(ctx, key(l.name), ttl).Err()
	}
	if taken && err == nil {`},
	}},
	{exercise: 3, name: "MULTI without WATCH", breaks: "gc-pause", edits: []edit{
		{"deleted, err = l.client.Del(ctx, key(l.name)).Result()", `_, err = l.client.TxPipelined(ctx, func(p redis.Pipeliner) error {
			p.Del(ctx, key(l.name))
			return nil
		})
		deleted = 1`},
	}},
	{exercise: 3, name: "a script that is not Lua", breaks: "the contract", edits: []edit{
		{getCompareDel, "deleted, err := l.client.Eval(ctx, \"if redis.call('GET', KEYS[1]) = ARGV[1] then\", []string{key(l.name)}, l.token).Int64()\n"},
	}},
	{exercise: 3, name: "no script file", compiler: "lock.go", edits: []edit{
		{"// Lock is the lock at", "//go:embed unlock.lua\nvar unlockSource string\n\n// Lock is the lock at"},
		{"\t\"errors\"\n", "\t_ \"embed\"\n\t\"errors\"\n"},
	}},
	{exercise: 3, name: "does not compile", compiler: "undefined: unlock", edits: []edit{
		{getCompareDel, "deleted, err := unlock.Run(ctx, l.client, []string{key(l.name)}, l.token).Int64()\n"},
	}},

	{exercise: 4, name: "asking every 100ms", edits: []edit{
		{"time.After(max(left, time.Millisecond))", "time.After(min(max(left, time.Millisecond), 100*time.Millisecond))"},
	}},
	{exercise: 4, name: "the third hint of 4", edits: []edit{
		{"error {\n\tfor {\n", "error {\n\thint 0\n\tfor {\n"},
		{"\t\tcase <-time.After(max", "\t\thint 1\n\t\tcase <-time.After(max"},
		{"\treturn nil\n}\n", "hint 2\n}\n"},
	}},
	{exercise: 4, name: "a subscription that stays", crash: "A subscription never ends", edits: []edit{
		{"error {\n\tfor {\n", "error {\n\twake := l.client.Subscribe(ctx, key(l.name)+\":free\")\n\tevents := wake.ChannelWithSubscriptions()\n\tfor {\n"},
		{"\t\tcase <-time.After(max", "\t\tcase <-events:\n\t\tcase <-time.After(max"},
		{"\treturn nil\n}\n", "\treturn l.client.Publish(ctx, key(l.name)+\":free\", \"\").Err()\n}\n"},
	}},
	{exercise: 4, name: "a list that waiters block on, and that stays", breaks: "the contract", rule: "gone after Unlock", edits: []edit{
		{"case <-time.After(max(left, time.Millisecond)):\n", "case <-l.popped(ctx, left):\n"},
		{"// Unlock deletes", `// popped waits for what Unlock pushes.
func (l *Lock) popped(ctx context.Context, left time.Duration) <-chan struct{} {
	done := make(chan struct{})
	go func() {
		defer close(done)
		l.client.BLPop(ctx, max(left, time.Second), key(l.name)+":free")
	}()
	return done
}

// Unlock deletes`},
		{"\treturn nil\n}\n", `	_, err = l.client.TxPipelined(ctx, func(p redis.Pipeliner) error {
		p.Del(ctx, key(l.name)+":free")
		p.RPush(ctx, key(l.name)+":free", "")
		p.PExpire(ctx, key(l.name)+":free", time.Second)
		return nil
	})
	return err
}
`},
	}},
	{exercise: 4, name: "asking every 400ms", edits: []edit{
		{"time.After(max(left, time.Millisecond))", "time.After(min(max(left, time.Millisecond), 400*time.Millisecond))"},
	}},
	{exercise: 4, name: "a subscription that nobody listens to at first", edits: []edit{
		{"error {\n\tfor {\n", "error {\n\twake := l.client.Subscribe(ctx, key(l.name)+\":free\")\n\tdefer wake.Close()\n\tfor {\n"},
		{"\t\tcase <-time.After(max", "\t\tcase <-wake.Channel():\n\t\tcase <-time.After(max"},
		{"\treturn nil\n}\n", "\treturn l.client.Publish(ctx, key(l.name)+\":free\", \"\").Err()\n}\n"},
	}},
	{exercise: 4, name: "a waiter that helps itself", breaks: "holder-crash", edits: []edit{
		{"error {\n\tfor {\n", "error {\n\tfor since := time.Now(); ; {\n\t\tif time.Since(since) > 5*time.Second {\n\t\t\tl.client.Del(ctx, key(l.name))\n\t\t}\n"},
		{"time.After(max(left, time.Millisecond))", "time.After(min(max(left, time.Millisecond), 100*time.Millisecond))"},
	}},
	{exercise: 4, name: "asking once a second", breaks: "handoff", edits: []edit{
		{"time.After(max(left, time.Millisecond))", "time.After(min(max(left, time.Millisecond), time.Second))"},
	}},
	{exercise: 4, name: "asking without a pause", crash: "It does not come back from stage4_blocking/exercise/lock.go:6", edits: []edit{
		{"case <-time.After(max(left, time.Millisecond)):\n", "case <-time.After(0 * left):\n"},
	}},
	{exercise: 4, name: "a short sleep that cannot be cancelled", edits: []edit{
		{"\t\tselect {\n\t\tcase <-time.After(max(left, time.Millisecond)):\n\t\tcase <-ctx.Done():\n\t\t\treturn ctx.Err()\n\t\t}\n", "\t\ttime.Sleep(min(left, 100*time.Millisecond))\n"},
	}},

	{exercise: 5, name: "a watchdog of one's own", edits: watchdog},
	{exercise: 5, name: "a lease that counts from the reply", breaks: "partition", edits: append(slices.Clone(watchdog), edit{"\tsent := time.Now()\n\tms, err := lock.Run(", "\tms, err := lock.Run("},
		edit{"\t\tlease.sent = sent\n", "\t\tlease.sent = time.Now()\n"}, edit{"\t\t\t\tsent = asked\n", "\t\t\t\tsent = time.Now()\n"}, edit{"\t\t\tasked := time.Now()\n", ""})},
	{exercise: 5, name: "without Context", breaks: "every order of 2 actors, up to 1 expiry, no fault", edits: []edit{
		renewAlways, renewStop, renewField, extendFile, extendEmbed,
	}},
	{exercise: 5, name: "nobody stops the watchdog", crash: "A goroutine never ends", edits: []edit{
		renewAlways, renewField, extendFile, extendEmbed,
	}},

	{exercise: 6, name: "the third hint of 6", edits: []edit{
		{"\theld   bool\n", "\ttoken  string\n"}, {"\tif l.held {\n", "\tif l.token != \"\" {\n"}, {"\tif !l.held {\n", "\tif l.token == \"\" {\n"},
		{"\tl.held = false\n", "\tl.token = \"\"\n"}, {sendsAndForgets, "hint 0"}, {comparesWithItself, "\tif value == l.token {\n"},
	}},
	{exercise: 7, name: "the third hint of 7", edits: []edit{
		{"// TODO: whose token is this?\nconst constantToken = \"unique\"\n", ""},
		{"\ttoken := constantToken\n", "hint 0"},
		{"\t\"context\"\n", "\t\"context\"\n\t\"crypto/rand\"\n"},
	}},
	{exercise: 7, name: "a token for each process", breaks: "the contract", rule: "a token of its own", edits: []edit{
		{"const constantToken = \"unique\"", "var constantToken = rand.Text()"},
		{"\t\"context\"\n", "\t\"context\"\n\t\"crypto/rand\"\n"},
	}},
}
