-- cell-remove: take a cell and its set away.
-- KEYS  1 header   2 cell   3 set
-- ARGV  1 channel of the namespace   2 name
-- gives {now µs, 'removed' | 'absent'}

--@ header
--@ era

local removed = call('DEL', KEYS[2], KEYS[3])
if removed > 0 then call('PUBLISH', ARGV[1], ARGV[2]) end
return { whole(now), removed > 0 and 'removed' or 'absent' }
