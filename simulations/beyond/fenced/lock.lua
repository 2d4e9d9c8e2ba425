-- lock.lua: take the lock, or tell when to ask again.
-- KEYS[1] the lock, KEYS[2] the queue of waiters, KEYS[3] the counter of acquisitions.
-- ARGV[1] our token, ARGV[2] the TTL in milliseconds, ARGV[3] 1 to join the queue.
-- Returns 0 and our fencing token if the lock is ours, and else in how many milliseconds
-- to ask again: when the lease is over, and later by one's place in the queue.
local owner = redis.call('GET', KEYS[1])
if not owner or owner == ARGV[1] then -- ours already: an earlier reply was lost
  redis.call('LREM', KEYS[2], 0, ARGV[1]) -- first: if it fails, nothing is taken
  local fence = tonumber(owner and redis.call('GET', KEYS[3]) or redis.call('INCR', KEYS[3]))
  if not fence or fence >= 2^53 then -- above that, Lua takes two numbers for one
    return redis.error_reply('ERR the counter of fencing tokens is no number below 2^53')
  end
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
  return {0, fence}
end
local left = redis.call('PTTL', KEYS[1])
if left < 0 then -- somebody else's key without a lease: ask again after one of ours
  left = tonumber(ARGV[2])
end
local place = 0
if ARGV[3] == '1' then
  place = redis.call('LPOS', KEYS[2], ARGV[1]) or redis.call('RPUSH', KEYS[2], ARGV[1]) - 1
  if redis.call('PTTL', KEYS[2]) < left + ARGV[2] then
    redis.call('PEXPIRE', KEYS[2], left + ARGV[2]) -- dead waiters leave no key behind
  end
end
return {left + 1 + place} -- one after the other, or all would come back at once
