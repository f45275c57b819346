-- Something is about to wait in a session's queue: from here on the database is asked what does.
-- KEYS: the meta of its log.  ARGV: 1 ttl of a meta.

local now = redis.call('TIME')
redis.call('HSET', KEYS[1], 'w', '!' .. now[1])
if redis.call('TTL', KEYS[1]) < 0 then
  redis.call('EXPIRE', KEYS[1], ARGV[1])
end
return 1
