-- Read a log in one step: its position, every batch with an event after the given seq, and who wrote that seq.
-- KEYS: log, meta.  ARGV: 1 after.
-- Answers nil without a log, else {incarnation, n, f, base, covers, under, batches}. under is the fence under which the
-- event `after` was written, 0 when the incarnation begins after it: a client that saw that event under a smaller fence saw
-- something else. Each batch of the log names its fence; what the log no longer has is told by where fences began, and a
-- fence that is too young at worst.

local known = redis.call('HMGET', KEYS[2], 'e', 'n', 'f', 'b', 'c', 's', 'p')
if not known[1] then
  return false
end
local after, starts, pruned = tonumber(ARGV[1]), known[6] or '', tonumber(known[7] or '0')
local batches = redis.call('XRANGE', KEYS[1], '(' .. ARGV[1], '+')

local function written_under()
  -- A batch is named by its last event: it ends there, or it is the first of those that follow.
  local here = redis.call('XRANGE', KEYS[1], ARGV[1], ARGV[1])[1] or batches[1]
  if here then
    local fence, first = string.match(here[2][2], '^%S+ (%d+) %d+ (%d+) ')
    if tonumber(first) <= after then
      return tonumber(fence)
    end
  end
  local under = pruned
  for fence, start in string.gmatch(starts, '(%d+):(%d+)') do
    if tonumber(start) <= after then
      under = tonumber(fence)
    end
  end
  return under
end

known[6] = after <= tonumber(known[2]) and written_under() or 0
known[7] = batches
return known
