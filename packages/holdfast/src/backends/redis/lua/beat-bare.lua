-- beat-bare: set a live session's end to now + ttl and nothing else, on one key, for a bucket whose keys are on their
-- way from one node to another.
-- KEYS  1 ends
-- ARGV  1 session   2 ttl µs
-- gives {now µs, 'beaten' | 'session-gone'}

local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]
local ends = tonumber(redis.call('ZSCORE', KEYS[1], ARGV[1]) or 0)
if ends <= now then return { string.format('%.0f', now), 'session-gone' } end
redis.call('ZADD', KEYS[1], 'GT', string.format('%.0f', now + ARGV[2]), ARGV[1])
return { string.format('%.0f', now), 'beaten' }
