package workshop

// What would take the judge along.
var crashes = []answer{
	{exercise: 2, name: "a panic", crash: "lock.go:42, in TryLock:\npanic: assignment to entry in nil map", edits: []edit{
		{"\tif l.held {\n", "\tvar m map[string]int\n\tm[l.name] = 1\n\tif l.held {\n"},
	}},
	{exercise: 2, name: "a panic before anything begins", crash: "panic: early", edits: []edit{
		{"// Lock is the lock at", "func init() { panic(\"early\") }\n\n// Lock is the lock at"},
	}},
	{exercise: 2, name: "much memory", crash: "It takes more and more memory at stage2_owner_token/exercise/lock.go:4", edits: []edit{
		{"\tif l.held {\n", "\tfor b := []byte{1}; l.name != \"\"; {\n\t\tb = append(b, b...)\n\t}\n\tif l.held {\n"},
	}},
	{exercise: 2, name: "printing without end", crash: "a loop without end", printed: "waiting\nwaiting\n", edits: []edit{
		{"\tif l.held {\n", "\tfor l.name != \"\" {\n\t\tprintln(\"waiting\")\n\t}\n\tif l.held {\n"},
	}},
	{exercise: 2, name: "a token for each Lock", breaks: "the contract", rule: "a token of its own", edits: []edit{
		ownToken, ownField, ownNoField, ownImport, ownReset, asksFirst,
		{"return &Lock{client: client, name: name}", "return &Lock{client: client, name: name, own: rand.Text()}"},
		{"\tname   string\n", "\tname   string\n\town    string\n"},
		{setHeld, "taken, err := l.client.SetNX(ctx, key(l.name), l.own, ttl).Result()\n\tif taken {\n\t\tl.token = l.own\n\t}\n\treturn taken, err\n"},
	}},
	{exercise: 2, name: "a panic in a goroutine", crash: "in TryLock:\npanic: no", edits: []edit{
		{"\tif l.held {\n", "\tgo func() { panic(\"no\") }()\n\tif l.held {\n"},
	}},
	{exercise: 2, name: "a loop without end", crash: "It does not come back from stage2_owner_token/exercise/lock.go:41, in TryLock: a loop without end", edits: []edit{
		{"\tif l.held {\n", "\tfor l.name != \"\" {\n\t}\n\tif l.held {\n"},
	}},
	{exercise: 2, name: "a recursion without end", crash: "fatal error: stack overflow", edits: []edit{
		{"\tif l.held {\n", "\tl.busy.Unlock()\n\tif _, err := l.TryLock(ctx, ttl); err == nil {\n\t\treturn true, nil\n\t}\n\tif l.held {\n"},
	}},
	{exercise: 2, name: "a channel that nobody writes to", crash: "chan receive", edits: []edit{
		{"\tif l.held {\n", "\t<-make(chan int)\n\tif l.held {\n"},
	}},
	{exercise: 2, name: "a goroutine that stays", crash: "A goroutine never ends. It stands at stage2_owner_token/exercise/lock.go:41, in TryLock (select", edits: []edit{
		{"\tif l.held {\n", "\tgo func() { select {} }()\n\tif l.held {\n"},
	}},
	{exercise: 2, name: "a mutex of one's own that stays locked", crash: "waits for a mutex", advice: "lock.go:43, in TryLock: mu is locked here, and TryLock never unlocks it.", edits: []edit{
		{"\tif l.held {\n", "\tmu.Lock()\n\tif l.held {\n"},
		{"// Lock is the lock at", "var mu sync.Mutex\n\n// Lock is the lock at"},
	}},
	{exercise: 2, name: "a forgotten Unlock", breaks: "the contract", advice: "lock.go:37, in TryLock: l.busy is locked here, and TryLock never unlocks it.", edits: []edit{
		{"\t\treturn false, ErrBusy\n\t}\n\tdefer l.busy.Unlock()\n", "\t\treturn false, ErrBusy\n\t}\n"},
	}},
	{exercise: 2, name: "a forgotten Unlock on one way out", breaks: "the contract", advice: "Does every way out", edits: []edit{
		{"\t\treturn false, ErrBusy\n\t}\n\tdefer l.busy.Unlock()\n", "\t\treturn false, ErrBusy\n\t}\n"},
		{"\treturn l.held, err\n", "\tif !l.held {\n\t\tl.busy.Unlock()\n\t}\n\treturn l.held, err\n"},
	}},
	{exercise: 2, name: "an Unlock too many", crash: "fatal error: sync: unlock of unlocked mutex", edits: []edit{
		{"\tif l.held {\n", "\tl.busy.Unlock()\n\tif l.held {\n"},
	}, advice: "Does every way out"},
	{exercise: 2, name: "the end of the process", crash: "os.Exit", edits: []edit{
		{"\tif l.held {\n", "\tos.Exit(0)\n\tif l.held {\n"},
		{"\t\"sync\"\n", "\t\"os\"\n\t\"sync\"\n"},
	}},
	{exercise: 2, name: "printing", breaks: "misdelete", printed: "here", edits: []edit{
		{"// Lock is the lock at", "func init() { println(\"here\") }\n\n// Lock is the lock at"},
	}},
}
