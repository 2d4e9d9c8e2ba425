package peers

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"

	"github.com/redis/go-redis/v9"
	"github.com/redis/rueidis"
	"github.com/redis/rueidis/mock"
)

// The world has its gates on clients of go-redis, and rueidislock has a client of its own.
// A bridge is a rueidis client whose commands pass those gates. Like rueidis it leaves a
// command alone when its context ends.
type bridge struct {
	rueidis.Client // builds the commands, and carries them out if it is tracked
	gates          redis.UniversalClient
	tracked        bool
}

// untracked lets go-redis carry out the commands: the embedded Redis has no client tracking.
func untracked(gates redis.UniversalClient) func(rueidis.ClientOption) (rueidis.Client, error) {
	return func(rueidis.ClientOption) (rueidis.Client, error) {
		return &bridge{Client: mock.NewClient(nil), gates: gates}, nil
	}
}

// tracked lets rueidis carry out the commands, on connections of its own to the same
// server. What the server sends by itself, an invalidation, comes through no gate.
func tracked(gates *redis.Client) func(rueidis.ClientOption) (rueidis.Client, error) {
	return func(option rueidis.ClientOption) (rueidis.Client, error) {
		options := gates.Options()
		option.InitAddress = []string{options.Addr}
		option.DialCtxFn = func(ctx context.Context, addr string, _ *net.Dialer, _ *tls.Config) (net.Conn, error) {
			return options.Dialer(ctx, "tcp", addr)
		}
		client, err := rueidis.NewClient(option)
		gates.AddHook(carrier{})
		return &bridge{Client: client, gates: gates, tracked: true}, err
	}
}

// call is a command that rueidis carries out behind the gates.
type call struct {
	client rueidis.Client
	cmd    rueidis.Completed
}

type callKey struct{}

func (b *bridge) Do(ctx context.Context, cmd rueidis.Completed) rueidis.RedisResult {
	if err := ctx.Err(); err != nil {
		return mock.ErrorResult(err)
	}
	var args []any
	for _, word := range cmd.Commands() {
		args = append(args, word)
	}
	came := make(chan rueidis.RedisResult, 1)
	go func() {
		ctx := context.WithoutCancel(ctx)
		if b.tracked {
			ctx = context.WithValue(ctx, callKey{}, &call{client: b.Client, cmd: cmd.Pin()})
		}
		came <- fromGoRedis(b.gates.Do(ctx, args...).Result())
	}()
	select {
	case reply := <-came:
		return reply
	case <-ctx.Done():
		return mock.ErrorResult(ctx.Err())
	}
}

func (b *bridge) Close() {
	if b.tracked {
		b.Client.Close()
	}
}

func (b *bridge) Mode() rueidis.ClientMode { return rueidis.ClientModeStandalone }

// carrier is the last hook of a go-redis client: it does not send the command of a call,
// but lets rueidis do it.
type carrier struct{}

func (carrier) DialHook(next redis.DialHook) redis.DialHook { return next }

func (carrier) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

func (carrier) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		call, ok := ctx.Value(callKey{}).(*call)
		if !ok {
			return next(ctx, cmd)
		}
		value, err := call.client.Do(ctx, call.cmd).ToAny()
		if rueidis.IsRedisNil(err) {
			err = redis.Nil
		} else if said, ok := rueidis.IsRedisErr(err); ok {
			err = redisError(said.Error())
		}
		cmd.(*redis.Cmd).SetVal(value)
		cmd.SetErr(err)
		return err
	}
}

// redisError is an error of Redis as go-redis knows it.
type redisError string

func (e redisError) Error() string { return string(e) }
func (redisError) RedisError()     {}

// fromGoRedis is what rueidis would have read.
func fromGoRedis(value any, err error) rueidis.RedisResult {
	if errors.Is(err, redis.Nil) {
		return mock.Result(mock.RedisNil())
	}
	if said := redis.Error(nil); errors.As(err, &said) {
		return mock.Result(mock.RedisError(said.Error()))
	}
	if err != nil {
		return mock.ErrorResult(err)
	}
	switch value := value.(type) {
	case string:
		return mock.Result(mock.RedisString(value))
	case int64:
		return mock.Result(mock.RedisInt64(value))
	}
	return mock.ErrorResult(fmt.Errorf("a reply of type %T", value))
}
