-- Counts `by` events in each window, or in none where one has no room: what is refused takes nobody's place.
-- KEYS: of each window its bucket of now, and the bucket before. ARGV: by, then of each window its limit, the share of
-- the bucket before that counts still, and the milliseconds for which its bucket of now is kept.
-- Returns of each window what both buckets held before.
local by, room, held = tonumber(ARGV[1]), true, {}
for i = 1, #KEYS, 2 do
  local of = (i - 1) / 2 * 3 + 2
  held[i] = tonumber(redis.call('GET', KEYS[i]) or 0)
  held[i + 1] = tonumber(redis.call('GET', KEYS[i + 1]) or 0)
  room = room and held[i] + held[i + 1] * tonumber(ARGV[of + 1]) + by <= tonumber(ARGV[of])
end
if room then
  for i = 1, #KEYS, 2 do
    redis.call('INCRBY', KEYS[i], by)
    redis.call('PEXPIRE', KEYS[i], ARGV[(i - 1) / 2 * 3 + 4])
  end
end
return held
