package peers

// findings say why a library loses a race, as its own code shows it: whoever changes a
// verdict must look at that place again. redislock v0.9.4, redsync v4.18.1, rueidislock
// v1.0.79; Redisson at 9c1bdbf, 6fb6e28 and 4339c99 (renewal/LockTask.java,
// renewal/RenewalTask.java and RedissonLock.java).
const findings = `redislock, lost-reply: each Obtain makes a new token (redislock.go:60-65), so
  the next one does not know that the key is its own. redislock* has a token of
  its user's (redislock.go:222), and is recognised (redislock.go:25).
redislock*, wait-budget: the context ends the pause between two questions, and
  no question (redislock.go:99-103). What is won too late counts as won.
redsync, holder-crash: it gives up after 32 tries, long before a lease of ten
  seconds ends (redsync.go:33). redsync* has WithTries.
redsync, redsync*, wait-budget: when the context has ended, it gives back what
  it may have got, and waits for the answer (mutex.go:121-127).
redsync*, overrun and partition: its user works under a context that ends at
  Until (mutex.go:50). The lease is not renewed.
rueidislock, wait-budget: it gives back what it may have got, and waits for the
  answer (lock.go:293 and 359).
rueidislock, partition: a renewal may take as long as the lease that it hopes
  for (lock.go:182-183), and not only as the one that was granted. When it
  fails, the key is deleted first, and then the holder is told (lock.go:293).
  This race has a slow network, on which its 20 ms for an answer (TryNextAfter)
  take no lock. So it has 3 s here, as go-redis has.
rueidislock, failover: when its connection breaks, it looks at its key at once
  (lock.go:215-228), and the holder is told. It holds here because A does that
  before B asks, and B need not be so slow: nothing is promised.
Redisson, wait-budget: a question is waited for, and what is won too late counts
  as won (tryLock). lost-reply: the next try counts the lock up to two, and one
  unlock leaves one (tryLockInnerAsync). partition: a renewal that fails is
  logged (RenewalTask.run). stop-the-world: RLock has no fencing token.
`
