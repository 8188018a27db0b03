-- enter: put claims of one session at the ends of their lines and say whether they are open. Safe to repeat by claim id.
-- KEYS  1 header   2 ends   3 index   4 book
-- ARGV  1 channel of the namespace   2 session   3 least number   4 how far above now a number may be proposed, µs
--       then for each claim: id, line, weight, capacity, hold µs (0: no end), flags, notes, mode (queue | try), not
--       after (µs), slice µs, proposed number (0: none)
-- gives {now µs, 'session-gone'} | {now µs, 'told', answer of each claim: open | closed | refused | too-late | held-back |
--       too-low | too-high | again, with what belongs to it}

local session, least, ahead = ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
local FIELDS = 11

local function refuse(line, slice)
  local holder = holder_of(line)
  if not holder then return { 'refused', {} } end
  local tried = call('HGET', BOOK, 't' .. line)
  local untl, id = string.match(tried or '', '^(%d+) (.*)$')
  local ends = now + slice
  if id == holder.id then ends = math.max(ends, tonumber(untl)) end
  call('HSET', BOOK, 't' .. line, whole(ends) .. ' ' .. holder.id)
  tell(holder.id)
  return { 'refused', row(holder) }
end

-- A number of the store's own, or the one that was proposed if it fits; else why not.
local function number_for(proposed)
  if proposed == 0 then return next_number(least) end
  if proposed <= head.last then return nil, { 'too-low', whole(head.last) } end
  if proposed > now + ahead then return nil, { 'too-high' } end
  head.last = proposed
  return proposed
end

local function enter(id, line, weight, capacity, hold, flags, notes, mode, not_after, slice, proposed)
  local state = { sum = 0, least = 2 ^ 53, taken = {}, complete = true }
  local occupied = #call('ZRANGEBYLEX', INDEX, '[' .. before(line), behind(line), 'LIMIT', 0, 1) > 0
  local earlier = occupied and claim_of(id)
  if earlier and lives(earlier) then return settled_standing(earlier, { [id] = true }) end
  if now > not_after then return { 'too-late' } end
  if mode == 'try' and held_back() then return { 'held-back', whole(head.grace - now) } end
  if occupied then
    if earlier then remove(earlier) end
    state = settle(line, {})
    if state.again then return { 'again' } end
  end
  local fits = state.complete and state.sum + weight <= math.min(state.least, capacity)
  if mode == 'try' and not fits then return refuse(line, slice) end
  local seq, why = number_for(proposed)
  if not seq then return why end
  local claim = { id = id, seq = seq, weight = weight, capacity = capacity, open = false, dead = 0, slot = -1,
    flags = flags, hold = hold, order = '0', since = whole(now), line = line }
  add(claim)
  if notes ~= '' then call('HSET', BOOK, 'n' .. id, notes) end
  if fits and not held_back() then
    open(claim, state.taken)
    tell_watchers(line)
  end
  save(claim)
  if not occupied and claim.open then
    return { 'open', whole(seq), claim.slot, claim.dead > 0 and whole(claim.dead - now) or '-1', 0 }
  end
  return standing(claim)
end

if not session_lives(session) then return { whole(now), 'session-gone' } end
local answers, last = {}, head.last
for at = 5, #ARGV, FIELDS do
  answers[#answers + 1] = enter(ARGV[at], ARGV[at + 1], tonumber(ARGV[at + 2]), tonumber(ARGV[at + 3]),
    tonumber(ARGV[at + 4]), tonumber(ARGV[at + 5]), ARGV[at + 6], ARGV[at + 7], tonumber(ARGV[at + 8]),
    tonumber(ARGV[at + 9]), tonumber(ARGV[at + 10]))
end
if head.last ~= last then save_last() end
return { whole(now), 'told', answers }
