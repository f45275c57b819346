-- Take the log of a session for one holder: from here on a smaller fence is refused.
-- KEYS: log, meta.  ARGV: 1 fence, 2 floor (SQL's last seq), 3 name of a new incarnation, 4 ttl of the meta,
-- 5 events to keep before the active run, 6 most fences in meta, 7 name of the holder, 8 "1" when nothing else waited as
-- this fence was committed, 9 how many seconds a word that something waits counts more than that, 10 the word that was
-- about this run itself, 11 the seq up to which a log was written: the floor, or the published end after it.
-- Answers {OK, incarnation, n, start, covers, born} or {FENCED, f}. Claiming again with the same fence takes
-- the log from the earlier holder of that fence and changes nothing else.

local log, meta = KEYS[1], KEYS[2]
local fence, floor, reaches = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[11])
local known = redis.call('HMGET', meta, 'e', 'n', 'f', 's', 'p', 'c', 'w')
local incarnation, n, f = known[1], tonumber(known[2] or '0'), tonumber(known[3] or '0')
local starts, pruned, covers = known[4] or '', tonumber(known[5] or '0'), tonumber(known[6] or '0')
local born = 0
local waits = known[7] and string.sub(known[7], 1, 1) == '!' and known[7]

local function remember(start)
  -- Note where this fence begins. The log tells who wrote what it has; this is for the event before its first one,
  -- should all before that have expired.
  local all = {}
  for name, at in string.gmatch(starts, '(%d+):(%d+)') do
    all[#all + 1] = {name, at}
  end
  if #all > 0 and tonumber(all[#all][2]) == start then
    all[#all] = nil -- It wrote nothing.
  end
  while #all > 1 and redis.call('EXISTS', log) == 0 do
    pruned = table.remove(all, 1)[1]
  end
  all[#all + 1] = {fence, start}
  while #all > tonumber(ARGV[6]) do
    -- Two become one, as young as the second and as long as both: at worst a client is not believed that could be.
    all[2][1] = table.remove(all, 3)[1]
  end
  for i, each in ipairs(all) do
    all[i] = each[1] .. ':' .. each[2]
  end
  redis.call('HSET', meta, 'f', fence, 's', table.concat(all, ' '), 'p', pruned)
end

local function others_wait()
  local horizon = redis.call('TIME')[1] - tonumber(ARGV[9])
  for at, name in string.gmatch(waits or '', '(%d+):(%S+)') do
    if tonumber(at) >= horizon and name ~= ARGV[10] then
      return true
    end
  end
  return false
end

if fence < f then
  return {'FENCED', f}
end
if not incarnation or n < reaches then
  -- No log, or one that lost what SQL already knows: numbers are never used again, so it starts over.
  redis.call('DEL', log, meta)
  incarnation, n, starts, pruned, covers, born, f = ARGV[3], reaches, '', 0, floor, 1, 0
  redis.call('HSET', meta, 'e', incarnation, 'n', n, 'b', reaches, 'c', floor)
  if waits then
    redis.call('HSET', meta, 'w', waits)
  end
end
local start = n + 1
if f == fence then
  start = tonumber(string.match(starts, '(%d+)$'))
else
  remember(start)
end
-- From here on a write of the former holder goes through `look_closely`; the first write of the new one sets its grant.
redis.call('HSET', meta, 'h', ARGV[7], 'g', '')
redis.call('EXPIRE', meta, ARGV[4])
if ARGV[8] == '1' and not others_wait() then
  -- Whatever waits from now on says so first, to this very server; an old word is of what was committed long ago.
  local said = redis.pcall('INFO', 'server')
  local server = type(said) == 'string' and string.match(said, 'run_id:(%x+)')
  if server then
    redis.call('HSET', meta, 'w', server)
  end
end
-- The active run begins after the floor, so this is the only moment at which the limit of the log moves.
-- One event more stays than can be missed: the last one that a client saw which missed them all; it names its fence.
redis.call('XTRIM', log, 'MINID', math.max(floor - tonumber(ARGV[5]), 0))
return {'OK', incarnation, n, start, covers, born}
