-- lock.lua: SET with NX and PX, which also knows our own token: the client may send twice.
-- KEYS[1] the lock, ARGV[1] our token, ARGV[2] the TTL in milliseconds.
-- Returns 1 if the lock is ours on this node, 0 if it is another's.
local owner = redis.call('GET', KEYS[1])
if owner and owner ~= ARGV[1] then
  return 0
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
