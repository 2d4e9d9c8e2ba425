package workshop

// Edits that several answers share.

const setnxAndExpire = `// TODO: one command instead of two.
	taken, err := l.client.Do(ctx, "SETNX", key(l.name), "held").Bool()
	if err != nil || !taken {
		return false, err
	}
	err = l.client.Do(ctx, "PEXPIRE", key(l.name), ttl.Milliseconds()).Err()
	l.held = err == nil
`

const setHeld = `err := l.client.Do(ctx, "SET", key(l.name), "held", "NX", "PX", ttl.Milliseconds(), "GET").Err()
	if errors.Is(err, redis.Nil) { // GET tells what was there before: nothing, so it is ours
		l.held, err = true, nil
	}
	return l.held, err
`

var (
	ownToken   = edit{"\theld   bool\n", "\ttoken  string\n"}
	ownField   = edit{"\tif l.held {\n", "\tif l.token != \"\" {\n"}
	ownNoField = edit{"\tif !l.held {\n", "\tif l.token == \"\" {\n"}
	ownImport  = edit{"\t\"context\"\n", "\t\"context\"\n\t\"crypto/rand\"\n"}
	ownReset   = edit{"\tl.held = false\n", "\tl.token = \"\"\n"}
	asksFirst  = edit{plainDelete, `	deleted := int64(0)
	owner, err := l.client.Get(ctx, key(l.name)).Result()
	if owner == l.token {
		deleted, err = l.client.Del(ctx, key(l.name)).Result()
	}
	if err != nil && !errors.Is(err, redis.Nil) {
		return err
	}
`}
)

const (
	sendsAndForgets = `	err := l.client.Do(ctx, "SET", key(l.name), rand.Text(), "NX", "PX", ttl.Milliseconds(), "GET").Err()
	if errors.Is(err, redis.Nil) { // nothing was there
		l.held, err = true, nil
	}
	return l.held, err
`
	comparesWithItself = "\t\tvar again string\n\t\tagain, err = l.client.Get(ctx, key(l.name)).Result()\n\t\tif value == again {\n"
)

const plainDelete = "\tdeleted, err := l.client.Del(ctx, key(l.name)).Result()\n\tif err != nil {\n\t\treturn err\n\t}\n"

const getCompareDel = `// TODO: one script instead of GET, compare, DEL.
	deleted := int64(0)
	owner, err := l.client.Get(ctx, key(l.name)).Result()
	if owner == l.token {
		deleted, err = l.client.Del(ctx, key(l.name)).Result()
	}
`

var (
	extendFile  = edit{"new extend.lua", "-- extend.lua: a whole new lease.\nif redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end\nreturn 0\n"}
	extendEmbed = edit{"// ErrLost is", "//go:embed extend.lua\nvar extendSource string\nvar extend = redis.NewScript(extendSource)\n\n// ErrLost is"}
	renewField  = edit{"\theld   bool       // ours for certain\n", "\theld   bool\n\tstop   chan struct{}\n\tended  chan struct{}\n"}
	renewAlways = edit{"\t// TODO: if it is taken, begin to renew it. (Unlock must stop that, and wait for it.)\n", `	if taken {
		stop, ended, token := make(chan struct{}), make(chan struct{}), l.lease.token
		l.stop, l.ended = stop, ended
		go func() {
			defer close(ended)
			for {
				select {
				case <-time.After(ttl / 3):
					extend.Run(context.Background(), l.client, l.keys()[:1], token, ttl.Milliseconds())
				case <-stop:
					return
				}
			}
		}()
	}
`}
	renewStop = edit{"\tdeleted, err := l.release(ctx, l.lease)\n", `	if l.stop != nil {
		close(l.stop)
		<-l.ended
		l.stop = nil
	}
	deleted, err := l.release(ctx, l.lease)
`}

	// watchdog is the third hint of 5, with all that belongs to it.
	watchdog = []edit{extendFile, extendEmbed,
		{"\ttoken   string\n", "\ttoken   string\n\tsent    time.Time\n"},
		{"\tms, err := lock.Run(", "\tsent := time.Now()\n\tms, err := lock.Run("},
		{"\treturn time.Duration(ms) * ", "\tif err == nil && ms == 0 {\n\t\tlease.sent = sent\n\t}\n\treturn time.Duration(ms) * "},
		{"\theld   bool       // ours for certain\n", "\theld   bool\n\twatch  atomic.Pointer[watch]\n"},
		{"\tif l.lease == nil {\n\t\tl.lease = ", "\tl.watch.Store(nil)\n\tif l.lease == nil {\n\t\tl.lease = "},
		{"\t// TODO: if it is taken, begin to renew it. (Unlock must stop that, and wait for it.)\n", "\tif taken {\n\t\tl.watch.Store(l.keep(ctx, l.lease))\n\t}\n"},
		{"\tdeleted, err := l.release(ctx, l.lease)\n\tif err != nil {\n\t\treturn err\n", `	var lost error
	if w := l.watch.Load(); w != nil {
		w.cancel(ErrNotHeld)
		<-w.ended
		if errors.Is(context.Cause(w.ctx), ErrLost) {
			lost = ErrLost
		}
	}
	deleted, err := l.release(ctx, l.lease)
	if err != nil {
		return errors.Join(err, lost)
`},
		{"\tif deleted == 0 {\n\t\treturn ErrNotHeld\n\t}\n\treturn nil\n", "\tif deleted == 0 {\n\t\treturn errors.Join(ErrNotHeld, lost)\n\t}\n\treturn lost\n"},
		{"// Unlock deletes", `type watch struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	ended  chan struct{}
}

// Context ends when the lock is unlocked or lost.
func (l *Lock) Context() context.Context {
	if w := l.watch.Load(); w != nil {
		return w.ctx
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(ErrNotHeld)
	return ctx
}

func (l *Lock) keep(ctx context.Context, lease *lease) *watch {
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	w := &watch{ctx, cancel, make(chan struct{})}
	token, ttl, sent := lease.token, lease.ttl, lease.sent
	go func() {
		defer close(w.ended)
		rest := func() time.Duration { return time.Until(sent.Add(ttl - ttl/100)) }
		alarm := time.AfterFunc(rest(), func() { cancel(ErrLost) })
		defer alarm.Stop()
		for {
			select {
			case <-time.After(ttl / 3):
			case <-ctx.Done():
				return
			}
			asked := time.Now()
			extended, err := extend.Run(ctx, l.client, l.keys()[:1], token, ttl.Milliseconds()).Int64()
			switch {
			case err != nil: // the next third tries again, until the alarm
			case extended == 0:
				cancel(ErrLost)
			default:
				sent = asked
				alarm.Reset(rest())
			}
		}
	}()
	return w
}

// Unlock deletes`},
	}
)
