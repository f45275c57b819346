-- May what is known of a session be believed without the database: that it is there, that its principal may come, and
-- that nothing waits in its queue?
-- KEYS: the meta of its log, then the doubts that would forbid it.  Answers 1 or nil.
-- A server that was started again or replaced may have lost what it was told last: only what this very one was told counts.

local at = redis.call('HGET', KEYS[1], 'w')
if not at or (#KEYS > 1 and redis.call('EXISTS', unpack(KEYS, 2)) > 0) then
  return false
end
local said = redis.pcall('INFO', 'server')
return type(said) == 'string' and string.match(said, 'run_id:(%x+)') == at
