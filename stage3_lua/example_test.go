package lua_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	lua "redislocklab/stage3_lua"
)

func Example() {
	server, err := miniredis.Run() // so that this runs without a Redis
	if err != nil {
		panic(err)
	}
	defer server.Close()
	// In real code: redis.NewClient(&redis.Options{Addr: "localhost:6379", MaxRetries: -1})
	client := redis.NewClient(&redis.Options{Addr: server.Addr(), MaxRetries: -1})
	defer client.Close()

	work := func(ctx context.Context, then func()) {
		lock := lua.New(client, "order-42") // one *Lock is one holder
		taken, err := lock.TryLock(ctx, 10*time.Second)
		if err != nil {
			fmt.Println("do not work, nobody knows who has the lock:", err)
			return
		}
		if !taken {
			fmt.Println("another is at work: come back later")
			return
		}
		fmt.Println("at work")
		then() // in less than the 10 seconds
		switch err := lock.Unlock(ctx); {
		case errors.Is(err, lua.ErrNotHeld):
			fmt.Println("the work took too long: another may have worked as well")
		case err != nil:
			fmt.Println("not given back, it ends by itself:", err)
		default:
			fmt.Println("done")
		}
	}

	ctx := context.Background()
	work(ctx, func() { work(ctx, nil) }) // a second one comes while the first is at work
	// Output:
	// at work
	// another is at work: come back later
	// done
}
