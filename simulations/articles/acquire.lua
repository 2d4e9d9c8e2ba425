-- acquire.lua: take the lock if it is free, and give it a lease.
-- KEYS[1] the lock, ARGV[1] the value, ARGV[2] the lease in seconds. Returns 1 or 0.
local taken = redis.call('SETNX', KEYS[1], ARGV[1])
if taken == 1 then
  redis.call('EXPIRE', KEYS[1], ARGV[2])
end
return taken
