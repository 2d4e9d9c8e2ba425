-- unlock.lua: delete the lock if it holds this value.
-- KEYS[1] the lock, ARGV[1] the value. Returns how many keys were deleted: 1 or 0.
if redis.call('GET', KEYS[1]) ~= ARGV[1] then
  return 0
end
return redis.call('DEL', KEYS[1])
