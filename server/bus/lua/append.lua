-- Append one batch of events to each of many sessions: fence, order, log, channel, in one step.
-- KEYS: log and meta of each session; its channel is the log's name without ':log'.
-- ARGV: 1 ttl of a log, 2 ttl of a meta, then for each session: grant ("incarnation fence start holder", where start is
-- the first seq of this fence), before (the seq that the batch follows), last (its own last one), special ('' or
-- "covers birth touch": the log stands for every event after covers; birth = 1: begin this incarnation if it is not
-- there; touch = 1: the times to live begin anew), message ("incarnation fence start first last", a new line, the events
-- as lines of JSON; empty to ask whether the log is still what it should be).
-- The message is what the log keeps and what the channel carries: nothing is put together here for a token.
-- Answers for each session where its log ends now, or {word, n}: FENCED (n = the younger fence), GAP (n = where the
-- log really ends) or LOST (another incarnation, or none). A batch that is already written does nothing.

local call, pcall = redis.call, redis.pcall
local LOG_TTL, META_TTL = ARGV[1], ARGV[2]

local function refused(added)
  -- What XADD said when it added nothing.
  if added and not string.find(added.err, 'equal or smaller') then
    return added
  end
  return {'LOST', 0}
end

local function write(log, meta, last, message, make)
  local added
  if make then
    added = pcall('XADD', log, last, 'd', message)
  else
    added = pcall('XADD', log, 'NOMKSTREAM', last, 'd', message)
  end
  if type(added) ~= 'string' then
    return refused(added)
  end
  call('HSET', meta, 'n', last)
  call('PUBLISH', string.sub(log, 1, -5), message)
  return tonumber(last)
end

local function look_closely(log, meta, grant, before, last, special, message)
  local incarnation, fence, start, holder = string.match(grant, '^(%S+) (%d+) (%d+) (%S+)$')
  local covers, birth, touch = string.match(special, '^(%d+) (%d) (%d)$')
  fence, start, before, last = tonumber(fence), tonumber(start), tonumber(before), tonumber(last)
  touch = touch == '1'
  local known = call('HMGET', meta, 'e', 'n', 'f', 'h', 'g')
  local n, f = tonumber(known[2] or '0'), tonumber(known[3] or '0')
  if fence < f or (fence == f and known[4] ~= holder) then
    return {'FENCED', f}
  end
  if known[1] ~= incarnation then
    if birth ~= '1' then
      return {'LOST', 0}
    end
    touch = true
    n = before
    local waits = call('HGET', meta, 'w')
    call('DEL', log, meta)
    call('HSET', meta, 'e', incarnation, 'n', n, 'f', fence, 'b', n, 'c', covers, 's', fence .. ':' .. start,
      'p', 0, 'h', holder, 'g', grant)
    if waits and string.sub(waits, 1, 1) == '!' then
      call('HSET', meta, 'w', waits)
    end
  elseif f < fence then
    -- A fail-over lost the claim: what it had set is set again.
    local starts = call('HGET', meta, 's')
    call('HSET', meta, 'f', fence, 'h', holder, 's', starts .. ' ' .. fence .. ':' .. start, 'g', grant)
  elseif known[5] ~= grant then
    call('HSET', meta, 'g', grant)
  end
  if message ~= '' and last <= n then
    return n
  end
  if before ~= n then
    return {'GAP', n}
  end
  if message == '' then
    if n >= start and call('EXISTS', log) == 0 then
      return {'LOST', 0}
    end
  else
    -- The first batch of a fence may make the log.
    local make = n < start
    touch = touch or make
    local written = write(log, meta, last, message, make)
    if type(written) == 'table' then
      return written
    end
  end
  if touch then
    call('EXPIRE', log, LOG_TTL)
    call('EXPIRE', meta, META_TTL)
  end
  return last
end

local answers, at = {}, 3
for i = 1, #KEYS, 2 do
  local log, meta = KEYS[i], KEYS[i + 1]
  local grant, before, last, special, message = ARGV[at], ARGV[at + 1], ARGV[at + 2], ARGV[at + 3], ARGV[at + 4]
  local answer
  local known = special == '' and call('HMGET', meta, 'g', 'n')
  if known and known[1] == grant and known[2] == before then
    -- Nearly every batch: the log is as its holder left it.
    answer = write(log, meta, last, message, false)
  else
    answer = look_closely(log, meta, grant, before, last, special == '' and '0 0 0' or special, message)
  end
  if type(answer) == 'table' and answer.err then
    return redis.error_reply(answer.err)
  end
  answers[#answers + 1] = answer
  at = at + 5
end
return answers
