-- leave: take claims away, of whatever session, and open whom that lets in. Safe to repeat.
-- KEYS  1 header   2 ends   3 index   4 book
-- ARGV  1 channel of the namespace   then for each claim: id, line
-- gives {now µs, 'told', for each claim 1: it was there and alive | 0}

--@ header
--@ era
--@ keys

-- First those that were alone in their line: of these there are most, so it is short and makes one function only.
local found, left, ends = {}, nil, {}
for at = 2, #ARGV, 2 do
  local id, line = ARGV[at], ARGV[at + 1]
  local text = call('HGET', BOOK, 'l' .. line)
  if text == '+' then
    left = left or {}
    left[#left + 1] = at
  elseif text and string.sub(text, 1, #id + 1) == id .. ' ' then
    local dead = tonumber(string.match(text, '^%S+ %d+ %d (%d+)'))
    local session = string.sub(id, 1, 16)
    ends[session] = ends[session] or tonumber(call('ZSCORE', ENDS, session) or 0)
    local until_when = ends[session]
    call('ZREM', INDEX, 'o' .. id .. line)
    call('HDEL', BOOK, 'l' .. line, 't' .. line, 'n' .. id)
    if dead > 0 then call('ZREM', ENDS, id .. line) end
    tell_watchers(line)
    local alive = (until_when > now or (until_when > 0 and head.grace > now)) and (dead == 0 or dead > now)
    found[at / 2] = alive and 1 or 0
  else
    found[at / 2] = 0
    -- A record beside a line that is not spread is what a lost index has left.
    local record = call('HGET', BOOK, id)
    if record and string.sub(record, -#line - 1) == ' ' .. line then call('HDEL', BOOK, id, 'n' .. id) end
  end
end
if not left then return { whole(now), 'told', found } end

--@ line

-- All of them go before anybody opens: who leaves in this very step must not be let in and told by it.
local lines = {}
for _, at in ipairs(left) do
  local claim = find(ARGV[at], ARGV[at + 1])
  found[at / 2] = claim and lives(claim) and 1 or 0
  if claim then
    remove(claim)
    meet(lines, claim.line)
  end
end
settle_all(lines)
return { whole(now), 'told', found }
