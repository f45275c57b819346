-- Keep one value of a session; the sessions used longest ago go when there are too many.
-- KEYS: index of sessions, values of this session.  ARGV: 1 session, 2 name, 3 value, 4 now, 5 ttl, 6 most sessions,
-- 7 prefix of the values' keys.

redis.call('HSET', KEYS[2], ARGV[2], ARGV[3])
redis.call('EXPIRE', KEYS[2], ARGV[5])
redis.call('ZADD', KEYS[1], ARGV[4], ARGV[1])
redis.call('EXPIRE', KEYS[1], ARGV[5])
local over = redis.call('ZCARD', KEYS[1]) - tonumber(ARGV[6])
if over > 0 then
  local oldest = redis.call('ZPOPMIN', KEYS[1], over)
  for i = 1, #oldest, 2 do
    redis.call('DEL', ARGV[7] .. oldest[i])
  end
end
return over
