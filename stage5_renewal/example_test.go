package renewal_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	renewal "redislocklab/stage5_renewal"
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

	work := func(then func(context.Context) error) {
		budget, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		lock := renewal.New(client, "order-42") // one *Lock is one holder
		if err := lock.Lock(budget, time.Second); err != nil {
			fmt.Println("do not work:", err) // no lock in time, or no Redis
			return
		}
		if err := then(lock.Context()); err != nil {
			fmt.Println("gave up:", err)
		}
		switch err := lock.Unlock(budget); {
		case errors.Is(err, renewal.ErrLost):
			fmt.Println("not alone to the end: check what was done")
		case err != nil:
			fmt.Println("not given back, it ends by itself:", err)
		default:
			fmt.Println("done")
		}
	}

	work(func(ctx context.Context) error { // as long as it takes, while ctx has not ended
		fmt.Println("at work")
		return ctx.Err()
	})
	work(func(ctx context.Context) error {
		server.FlushAll() // somebody deletes all keys: the next renewal finds out
		<-ctx.Done()
		return context.Cause(ctx)
	})
	// Output:
	// at work
	// done
	// gave up: lock: lost, the lease could not be kept
	// not alone to the end: check what was done
}
