-- cell-get: a cell's value and version, and how many members its set has. Changes nothing.
-- KEYS  1 header   2 cell: hash   3 set
-- gives {now µs, 'cell', value | nothing, version | nothing, members}

--@ header

local stored = call('HMGET', KEYS[2], 'value', 'version')
return { whole(now), 'cell', stored[1] or '', stored[2] or '', call('SCARD', KEYS[3]) }
