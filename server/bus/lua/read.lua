-- Read a log in one step: its position, where its fences begin, and every batch with an event after the given seq.
-- KEYS: log, meta.  ARGV: 1 after.
-- Answers nil without a log, else {incarnation, n, f, base, covers, starts, pruned, batches}.

local known = redis.call('HMGET', KEYS[2], 'e', 'n', 'f', 'b', 'c', 's', 'p')
if not known[1] then
  return false
end
known[8] = redis.call('XRANGE', KEYS[1], '(' .. ARGV[1], '+')
return known
