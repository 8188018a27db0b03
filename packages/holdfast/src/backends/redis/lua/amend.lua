-- amend: give an open claim another end or a smaller weight, and open whom that lets in. Safe to repeat, and late.
-- KEYS  1 header   2 ends   3 index   4 book
-- ARGV  1 channel of the namespace   2 session   3 id   4 line   5 weight (0: as it is)
--       6 hold µs from now (0: no end, -1: as it is)   7 order, rising with each amendment of the claim
-- gives {now µs, 'session-gone' | 'endless'} | {now µs, 'grows', weight} | {now µs, 'told', standing: open | closed | gone | again}

--@ header
--@ era
--@ keys
--@ line

local session, id, line, weight, hold, order = ARGV[2], ARGV[3], ARGV[4], tonumber(ARGV[5]), tonumber(ARGV[6]), ARGV[7]
if not (head.maxttl and session_lives(session)) then return { whole(now), 'session-gone' } end

local claim = find(id, line)
if not (claim and session_of(id) == session and lives(claim)) then
  return { whole(now), 'told', { 'gone' } }
end
if not claim.open then return { whole(now), 'told', settled_standing(claim, { [id] = true }) } end
if weight > claim.weight then return { whole(now), 'grows', whole(claim.weight) } end
if hold == 0 and has(claim, DETACHED) then return { whole(now), 'endless' } end

if weight > 0 then claim.weight = weight end
-- Repeated, or overtaken by a newer one: that one's end stands.
local late = order ~= '' and tonumber(order) <= tonumber(claim.order)
if order ~= '' and not late then claim.order = order end
if not late then
  if hold >= 0 then
    if claim.dead > 0 then call('ZREM', ENDS, id .. line) end
    claim.dead = hold > 0 and now + hold or 0
  end
  -- Also where the end stays: a session that was opened again, or beaten, since then may have got another.
  end_with(claim)
end
save(claim)
if not late and not claim.alone then settle(line, {}) end
return { whole(now), 'told', open_standing(claim) }
