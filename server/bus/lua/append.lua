-- Append one batch of events to each of many sessions: fence, order, log, doorbell, in one step.
-- KEYS: log and meta of each session; its channel is the log's name without ':log'.
-- ARGV: 1 ttl of a log, 2 ttl of a meta, then for each session: incarnation, fence, start (first seq of this fence),
-- holder, first, count, covers (the log stands for every event after this one), birth ('1': begin this incarnation
-- if it is not there), touch ('1': the times to live begin anew), payload (the events as lines of JSON).
-- Answers for each session where its log ends now, or {word, n}: FENCED (n = the younger fence), GAP (n = where the
-- log really ends) or LOST (another incarnation, or none). A batch that is already written does nothing.

local LOG_TTL, META_TTL = ARGV[1], ARGV[2]

local function append(log, meta, at)
  local incarnation, holder, birth, payload = ARGV[at], ARGV[at + 3], ARGV[at + 7], ARGV[at + 9]
  local fence, start = tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2])
  local first, count = tonumber(ARGV[at + 4]), tonumber(ARGV[at + 5])
  local last, touch = first + count - 1, ARGV[at + 8] == '1'
  local known = redis.call('HMGET', meta, 'e', 'n', 'f', 'h')
  local n, f = tonumber(known[2] or '0'), tonumber(known[3] or '0')
  if fence < f or (fence == f and known[4] and known[4] ~= holder) then
    return {'FENCED', f}
  end
  if known[1] ~= incarnation then
    if birth ~= '1' then
      return {'LOST', 0}
    end
    touch = true
    n = first - 1
    redis.call('DEL', log, meta)
    redis.call('HSET', meta, 'e', incarnation, 'n', n, 'f', fence, 'b', n, 'c', ARGV[at + 6],
      's', fence .. ':' .. start, 'p', 0, 'h', holder)
  elseif f < fence then
    -- A fail-over lost the claim: what it had set is set again.
    local starts = redis.call('HGET', meta, 's') or ''
    redis.call('HSET', meta, 'f', fence, 'h', holder, 's', starts .. ' ' .. fence .. ':' .. start)
  end
  if count > 0 and last <= n then
    return n
  end
  if first ~= n + 1 then
    return {'GAP', n}
  end
  if count == 0 then
    if n >= start and redis.call('EXISTS', log) == 0 then
      return {'LOST', 0}
    end
  else
    local added
    if n >= start then
      added = redis.pcall('XADD', log, 'NOMKSTREAM', last, 'd', payload, 'a', first, 'f', fence)
    else
      -- The first batch of a fence may make the log.
      touch = true
      added = redis.pcall('XADD', log, last, 'd', payload, 'a', first, 'f', fence)
    end
    if not added then
      return {'LOST', 0}
    end
    if type(added) == 'table' and added.err then
      if string.find(added.err, 'equal or smaller', 1, true) then
        return {'LOST', 0}
      end
      return added
    end
    redis.call('HSET', meta, 'n', last)
    redis.call('PUBLISH', string.sub(log, 1, -5),
      incarnation .. ' ' .. fence .. ' ' .. start .. ' ' .. first .. ' ' .. last .. '\n' .. payload)
  end
  if touch then
    redis.call('EXPIRE', log, LOG_TTL)
    redis.call('EXPIRE', meta, META_TTL)
  end
  return last
end

local answers = {}
for i = 1, #KEYS / 2 do
  local answer = append(KEYS[2 * i - 1], KEYS[2 * i], 3 + (i - 1) * 10)
  if type(answer) == 'table' and answer.err then
    return redis.error_reply(answer.err)
  end
  answers[i] = answer
end
return answers
