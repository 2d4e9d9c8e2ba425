-- extend.lua: give the lock a whole new lease if it is still ours.
-- KEYS[1] the lock, ARGV[1] our token, ARGV[2] the TTL in milliseconds.
-- Returns 1 if the lease was extended, 0 if the lock is not ours.
if redis.call('GET', KEYS[1]) == ARGV[1] then
  return redis.call('PEXPIRE', KEYS[1], ARGV[2])
end
return 0
