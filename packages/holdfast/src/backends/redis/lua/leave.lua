-- leave: take claims away, of whatever session, and open whom that lets in. Safe to repeat.
-- KEYS  1 header   2 ends   3 index   4 book
-- ARGV  1 channel of the namespace   then for each claim: id, line
-- gives {now µs, 'told', for each claim 1: it was there and alive | 0}

local function leave(id, line)
  local claim = find(id, line)
  if not claim then return 0 end
  local alive = lives(claim) and 1 or 0
  remove(claim)
  if not claim.alone then settle(line, {}) end
  return alive
end

local found = {}
for at = 2, #ARGV, 2 do found[#found + 1] = leave(ARGV[at], ARGV[at + 1]) end
return { whole(now), 'told', found }
