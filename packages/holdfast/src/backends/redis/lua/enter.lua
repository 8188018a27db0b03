-- enter: put claims of one session at the ends of their lines and say whether they are open. Safe to repeat by claim id.
-- KEYS  1 header   2 ends   3 index   4 book
-- ARGV  1 channel of the namespace   2 session   3 least number   4 how far above now a number may be proposed, µs
--       then for each claim: id, line, weight, capacity, hold µs (0: no end), flags, notes, mode (queue | try), not
--       after (µs), slice µs, proposed number (0: none)
-- gives {now µs, 'session-gone'} | {now µs, 'told', answer of each claim: open | closed | refused | too-late | held-back |
--       too-low | too-high | again, with what belongs to it}


--@ header
--@ era
--@ keys

local session, least, ahead = ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
local FIELDS = 11
local ends, held_back, last = tonumber(call('ZSCORE', ENDS, session) or 0), head.grace > now, head.last
if not (ends > now or (ends > 0 and held_back)) then return { whole(now), 'session-gone' } end

-- First those whose line is empty, where they are open at once: of these there are most, so it is short and makes no
-- functions. What is left comes behind.
local answers, left = {}, nil
for at = 5, #ARGV, FIELDS do
  local id, line, weight, capacity, hold, flags, notes, _, not_after, _, proposed = unpack(ARGV, at, at + FIELDS - 1)
  if held_back or now > tonumber(not_after) or proposed ~= '0' or call('HGET', BOOK, 'l' .. line) then
    left = left or {}
    left[#left + 1] = at
  else
    local moment, seq = whole(now), whole(next_number(least))
    local dead = hold == '0' and '0' or whole(now + hold)
    local slot = (flags == '1' or flags == '3') and '0' or '-1'
    call('ZADD', INDEX, 0, 'o' .. id .. line)
    call('HSET', BOOK, 'l' .. line, id .. ' ' .. seq .. ' ' .. weight .. ' ' .. capacity .. ' 1 ' .. dead .. ' ' .. slot
      .. ' ' .. flags .. ' ' .. hold .. ' 0 ' .. moment .. ' ' .. line)
    if dead ~= '0' then call('ZADD', ENDS, dead, id .. line) end
    if flags == '2' or flags == '3' then call('ZADD', ENDS, dead, session) end
    if notes ~= '' then call('HSET', BOOK, 'n' .. id, notes) end
    if string.find(line, '^election:') or string.find(line, '^barrier:') then call('PUBLISH', NEWS, line) end
    answers[(at - 5) / FIELDS + 1] = { 'open', seq, slot, dead == '0' and '-1' or hold, 0 }
  end
end
if not left then
  save_last()
  return { whole(now), 'told', answers }
end

--@ line

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

local function enter_line(id, line, weight, capacity, hold, flags, mode, slice, proposed)
  local state = settle(line, {})
  if state.again then return { 'again' } end
  local fits = state.complete and state.sum + weight <= math.min(state.least, capacity) and not held_back()
  if mode == 'try' and not fits then return refuse(line, slice) end
  local seq, why = number_for(proposed)
  if not seq then return why end
  local claim = { id = id, seq = seq, weight = weight, capacity = capacity, open = false, dead = 0, slot = -1,
    flags = flags, hold = hold, order = '0', since = whole(now), line = line }
  call('ZADD', INDEX, 0, place(claim), 0, 'o' .. id .. line)
  call('HSET', BOOK, 'l' .. line, '+')
  if fits then
    open(claim, state.taken)
    tell_watchers(line)
  end
  save(claim)
  return claim.open and open_standing(claim) or closed_standing(claim)
end

local function enter(id, line, weight, capacity, hold, flags, notes, mode, not_after, slice, proposed)
  local earlier = find(id, line)
  if earlier and lives(earlier) then return settled_standing(earlier, { [id] = true }) end
  if now > tonumber(not_after) then return { 'too-late' } end
  if mode == 'try' and held_back() then return { 'held-back', whole(head.grace - now) } end
  if earlier then remove(earlier) end
  local answer = enter_line(id, line, tonumber(weight), tonumber(capacity), tonumber(hold), tonumber(flags), mode,
    tonumber(slice), tonumber(proposed))
  if notes ~= '' and (answer[1] == 'open' or answer[1] == 'closed') then call('HSET', BOOK, 'n' .. id, notes) end
  return answer
end

for _, at in ipairs(left) do
  answers[(at - 5) / FIELDS + 1] = enter(unpack(ARGV, at, at + FIELDS - 1))
end
if head.last ~= last then save_last() end
return { whole(now), 'told', answers }
