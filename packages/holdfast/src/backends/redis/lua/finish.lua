-- finish: end a session and take its claims away, a bounded number at a time. Safe to repeat.
-- KEYS  1 header   2 ends   3 index   4 book
-- ARGV  1 channel of the namespace   2 session
-- gives {now µs, 'ended' | 'again'}

--@ header
--@ era
--@ keys
--@ line

local session = ARGV[2]
local CLAIMS_MAX = 256

-- From here on its claims are dead, also those that are left for the next step.
if call('ZSCORE', ENDS, session) then set_end(session, 0) end
local members = call('ZRANGEBYLEX', INDEX, '[o' .. session .. '.', '(o' .. session .. '/', 'LIMIT', 0, CLAIMS_MAX)
local lines = {}
for _, member in ipairs(members) do
  local claim = find(string.sub(member, 2, 26), string.sub(member, 27))
  if claim then
    remove(claim)
    lines[claim.line] = true
  else
    call('ZREM', INDEX, member)
  end
end
for line in pairs(lines) do settle(line, {}) end
if #members == CLAIMS_MAX then return { whole(now), 'again' } end
call('ZREM', ENDS, session)
call('HDEL', BOOK, 'w' .. session, 'm' .. session)
return { whole(now), 'ended' }
