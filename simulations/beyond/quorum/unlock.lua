-- unlock.lua: delete the lock if it is still ours.
-- KEYS[1] the lock, ARGV[1] our token. Returns how many keys were deleted: 1 or 0.
if redis.call('GET', KEYS[1]) == ARGV[1] then
  return redis.call('DEL', KEYS[1])
end
return 0
