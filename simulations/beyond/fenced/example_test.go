package fenced_test

import (
	"context"
	"fmt"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"redislocklab/simulations/beyond/fenced"
)

// A comes back late and writes with its old token: the store refuses it.
func Example() {
	server := miniredis.NewMiniRedis()
	if err := server.Start(); err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()
	client := redis.NewClient(&redis.Options{Addr: server.Addr()})
	defer client.Close()
	ctx := context.Background()
	var store fenced.Store

	a, b := fenced.New(client, "order:42"), fenced.New(client, "order:42")
	if err := a.Lock(ctx, 10*time.Second); err != nil {
		fmt.Println(err)
		return
	}
	server.FastForward(time.Minute) // A stands still, and its lease ends
	if err := b.Lock(ctx, 10*time.Second); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("B writes:", store.Write(b.FencingToken(), func() {}))
	fmt.Println("A writes:", store.Write(a.FencingToken(), func() {}))
	fmt.Println("B unlocks:", b.Unlock(ctx))
	fmt.Println("A unlocks:", a.Unlock(ctx))

	// Output:
	// B writes: <nil>
	// A writes: store: a newer fencing token has been here: 1 came after 2
	// B unlocks: <nil>
	// A unlocks: lock: not held
}
