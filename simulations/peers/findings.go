package peers

// findings say why a library loses a race, as its own code shows it: whoever changes a
// verdict must look at that place again. redislock v0.9.4, redsync v4.18.1, rueidislock
// v1.0.79; Redisson at 9c1bdbf, 6fb6e28 and 4339c99 (renewal/LockTask.java,
// renewal/RenewalTask.java and RedissonLock.java).
const findings = `redislock, lost-reply: each Obtain makes a new token (redislock.go:60-65), so
  the next one does not know that the key is its own. redislock* has a token of
  its user's (redislock.go:222), and is recognised (redislock.go:25). So is a
  command that go-redis sends again by itself: the clients of these races do
  not (MaxRetries: -1), because that only makes the fault rarer.
redislock*, wait-budget: go-redis does not end a question when its context ends
  (but see ContextTimeoutEnabled), and redislock waits for the answer
  (redislock.go:80). What is won too late counts as won.
redsync, redsync*, wait-budget: after each try that fails it gives back what it
  may have got (mutex.go:121-127), and go-redis does not end that either.
redsync*, overrun and partition: its user works under a context that ends at
  Until (mutex.go:50). The lease is not renewed.
rueidislock, wait-budget: its lock lives no longer than the context that it was
  asked for with. So that context is cancelled here when the budget ends, and
  has no deadline. Then rueidislock gives back what it may have got, and waits
  for the answer (lock.go:293 and 359).
rueidislock, partition: a renewal may take as long as the lease that it hopes
  for (lock.go:182-183), and not only as the one that was granted. When it
  fails, the key is deleted first, and then the holder is told (lock.go:293).
  This race has a slow network, on which its 20 ms for an answer (TryNextAfter)
  take no lock: it has 3 s here. With client tracking, in real time, it has 3 s
  in all races.
rueidislock, failover: when its connection breaks, it looks at its key at once
  (lock.go:215-228), and the holder is told. In most runs that is before B asks,
  and in some it is not.
Redisson, wait-budget: a question is waited for, and what is won too late counts
  as won (RedissonLock.tryLock, at 4339c99). lost-reply: the next try counts the
  lock up to two, and one unlock leaves one (tryLockInnerAsync). partition: a
  renewal that fails is logged (RenewalTask.run, at 6fb6e28).
`
