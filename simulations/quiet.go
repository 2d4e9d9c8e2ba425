package simulations

import (
	"context"

	"github.com/redis/go-redis/v9"
)

// quiet is what go-redis says of connections that break: here that is the plan.
type quiet struct{}

func (quiet) Printf(context.Context, string, ...any) {}

func init() { redis.SetLogger(quiet{}) }
