-- unlock.lua: delete the lock if it is still ours, and wake one waiter if it is free.
-- KEYS[1] the lock, KEYS[2] the queue of waiters.
-- ARGV[1] our token. Returns how many locks were deleted: 1 or 0.
local deleted = 0
if redis.call('GET', KEYS[1]) == ARGV[1] then
  deleted = redis.call('DEL', KEYS[1])
end
redis.call('LREM', KEYS[2], 0, ARGV[1])
while redis.call('EXISTS', KEYS[1]) == 0 do
  local waiter = redis.call('LPOP', KEYS[2])
  if not waiter then
    break
  end
  local heard = redis.pcall('PUBLISH', KEYS[1] .. ':' .. waiter, '')
  if type(heard) == 'number' and heard > 0 then
    break -- a waiter whose connection is gone hears nothing: try the next
  end
end
return deleted
