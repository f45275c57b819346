-- Take the log of a session for one holder: from here on a smaller fence is refused.
-- KEYS: log, meta.  ARGV: 1 fence, 2 floor (SQL's last seq), 3 name of a new incarnation, 4 ttl of the meta,
-- 5 events to keep before the active run, 6 fences to remember, 7 name of the holder.
-- Answers {OK, incarnation, n, start, covers, born} or {FENCED, f}. Claiming again with the same fence takes
-- the log from the earlier holder of that fence and changes nothing else.

local log, meta = KEYS[1], KEYS[2]
local fence, floor = tonumber(ARGV[1]), tonumber(ARGV[2])
local known = redis.call('HMGET', meta, 'e', 'n', 'f', 's', 'p', 'c')
local incarnation, n, f = known[1], tonumber(known[2] or '0'), tonumber(known[3] or '0')
local starts, pruned, covers = known[4] or '', tonumber(known[5] or '0'), tonumber(known[6] or '0')
local born = 0

if fence < f then
  return {'FENCED', f}
end
if not incarnation or n < floor then
  -- No log, or one that lost what SQL already knows: numbers are never used again, so it starts over.
  redis.call('DEL', log, meta)
  incarnation, n, starts, pruned, covers, born, f = ARGV[3], floor, '', 0, floor, 1, 0
  redis.call('HSET', meta, 'e', incarnation, 'n', n, 'b', floor, 'c', floor)
end
local start = n + 1
if f == fence then
  start = tonumber(string.match(starts, '(%d+)$'))
else
  local all = {}
  for each in string.gmatch(starts .. ' ' .. fence .. ':' .. start, '%S+') do
    all[#all + 1] = each
  end
  while #all > tonumber(ARGV[6]) do
    pruned = tonumber(string.match(table.remove(all, 1), '^(%d+)'))
  end
  redis.call('HSET', meta, 'f', fence, 's', table.concat(all, ' '), 'p', pruned)
end
-- Whoever held it before is looked at closely from here on: the holder's grant is known with its first batch.
redis.call('HSET', meta, 'h', ARGV[7], 'g', '')
redis.call('EXPIRE', meta, ARGV[4])
-- The active run begins after the floor, so this is the only moment at which the limit of the log moves.
local oldest = floor + 1 - tonumber(ARGV[5])
if oldest > 1 then
  redis.call('XTRIM', log, 'MINID', oldest)
end
return {'OK', incarnation, n, start, covers, born}
