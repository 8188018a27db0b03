-- finish: end a session and take its claims away, a bounded number at a time. Safe to repeat.
-- KEYS  1 header   2 ends   3 index   4 book
-- ARGV  1 channel of the namespace   2 session
-- gives {now µs, 'ended' | 'again'}

--@ header
--@ era
--@ keys
--@ line
--@ sweep

local END_MAX = 256

-- Where claims are left for the next step, they are dead from here on.
local lines = {}
local found = sweep_session(ARGV[2], END_MAX, lines)
settle_all(lines)
return { whole(now), found == END_MAX and 'again' or 'ended' }
