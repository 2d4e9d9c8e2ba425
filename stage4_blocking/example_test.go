package blocking_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	blocking "redislocklab/stage4_blocking"
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

	work := func(budget time.Duration, then func()) {
		ctx, cancel := context.WithTimeout(context.Background(), budget)
		defer cancel()
		lock := blocking.New(client, "order-42") // one *Lock is one holder
		err := lock.Lock(ctx, 10*time.Second)
		if errors.Is(err, context.DeadlineExceeded) {
			fmt.Println("another was at work for the whole budget: come back later")
			return
		}
		if err != nil {
			fmt.Println("do not work, nobody knows who has the lock:", err)
			return
		}
		fmt.Println("at work")
		then() // in less than the 10 seconds
		switch err := lock.Unlock(ctx); {
		case errors.Is(err, blocking.ErrNotHeld):
			fmt.Println("the work took too long: another may have worked as well")
		case err != nil:
			fmt.Println("not given back, it ends by itself:", err)
		default:
			fmt.Println("done")
		}
	}

	// A second one comes while the first is at work, and has little time.
	work(time.Second, func() { work(50*time.Millisecond, nil) })
	// Output:
	// at work
	// another was at work for the whole budget: come back later
	// done
}
