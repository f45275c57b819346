-- A run is about to wait in a session's queue: from here on the database is asked what does.
-- KEYS: the meta of its log.  ARGV: 1 ttl of a meta, 2 name of what waits.
-- What is kept is "!", then the time and name of each word of this kind; "!" alone is enough to be asked.

local known = redis.call('HGET', KEYS[1], 'w')
if not known or string.sub(known, 1, 1) ~= '!' then
  known = '!'
end
local word = ' ' .. redis.call('TIME')[1] .. ':' .. ARGV[2]
-- A queue is short, so that this is long only where words are old: the latest count.
redis.call('HSET', KEYS[1], 'w', '!' .. string.sub(string.sub(known, 2) .. word, -2048))
if redis.call('TTL', KEYS[1]) < 0 then
  redis.call('EXPIRE', KEYS[1], ARGV[1])
end
