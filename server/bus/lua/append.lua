-- Append one batch of events to each of many sessions: fence, order, log, doorbell, in one step.
-- KEYS: log and meta of each session.
-- ARGV: 1 ttl of a log, 2 ttl of a meta, then for each session: channel, incarnation, fence, start (first seq of
-- this fence), holder, first, count, covers (the log stands for every event after this one), birth ('1': begin this
-- incarnation if it is not there), payload (the events as lines of JSON).
-- Answers for each session {word, n}: OK, FENCED (n = the younger fence), GAP (n = where the log really ends) or
-- LOST (another incarnation, or none). A batch that is already written is OK, so a retry does nothing.

local LOG_TTL, META_TTL = ARGV[1], ARGV[2]

local function append(log, meta, at)
  local channel, incarnation, holder = ARGV[at], ARGV[at + 1], ARGV[at + 4]
  local birth, payload = ARGV[at + 8], ARGV[at + 9]
  local fence, start = tonumber(ARGV[at + 2]), tonumber(ARGV[at + 3])
  local first, count = tonumber(ARGV[at + 5]), tonumber(ARGV[at + 6])
  local last = first + count - 1
  local known = redis.call('HMGET', meta, 'e', 'n', 'f', 's', 'h')
  local n, f = tonumber(known[2] or '0'), tonumber(known[3] or '0')
  if fence < f or (fence == f and known[5] and known[5] ~= holder) then
    return {'FENCED', f}
  end
  if known[1] ~= incarnation then
    if birth ~= '1' then
      return {'LOST', 0}
    end
    n = first - 1
    redis.call('DEL', log, meta)
    redis.call('HSET', meta, 'e', incarnation, 'n', n, 'f', fence, 'b', n, 'c', ARGV[at + 7],
      's', fence .. ':' .. start, 'p', 0, 'h', holder)
  elseif f < fence then
    -- A fail-over lost the claim: what it had set is set again.
    redis.call('HSET', meta, 'f', fence, 'h', holder, 's', (known[4] or '') .. ' ' .. fence .. ':' .. start)
  end
  if count > 0 and last <= n then
    return {'OK', n}
  end
  if first ~= n + 1 then
    return {'GAP', n}
  end
  if n >= start and redis.call('EXISTS', log) == 0 then
    return {'LOST', 0}
  end
  if count > 0 then
    local added = redis.pcall('XADD', log, last, 'd', payload, 'a', first, 'f', fence)
    if type(added) == 'table' and added.err then
      if string.find(added.err, 'equal or smaller', 1, true) then
        return {'LOST', 0}
      end
      return added
    end
    redis.call('HSET', meta, 'n', last)
    redis.call('PUBLISH', channel,
      incarnation .. ' ' .. fence .. ' ' .. start .. ' ' .. first .. ' ' .. last .. '\n' .. payload)
  end
  redis.call('EXPIRE', log, LOG_TTL)
  redis.call('EXPIRE', meta, META_TTL)
  return {'OK', last}
end

local answers = {}
for i = 1, #KEYS / 2 do
  local answer = append(KEYS[2 * i - 1], KEYS[2 * i], 3 + (i - 1) * 10)
  if answer.err then
    return redis.error_reply(answer.err)
  end
  answers[i] = answer
end
return answers
