-- enter: put claims of one session at the ends of their lines and say whether they are open. Safe to repeat by claim id.
-- KEYS  1 header   2 ends   3 index   4 book
-- ARGV  1 channel of the namespace   2 session   3 least number   4 mode: queue | try   5 not after (µs)
--       6 slice µs   7 proposed number (0: none)   8 how far above now it may be, µs
--       then for each claim: id, line, 'weight capacity flags hold' (hold µs, 0: no end), notes
-- gives {now µs, 'session-gone'} | {now µs, 'told', answer of each claim}: its number alone, where it is open and nothing
--       else is to be said; else {open | closed | refused | too-late | held-back | too-low | too-high | again, …}

--@ header
--@ era
--@ keys

local session, least, mode, not_after = ARGV[2], tonumber(ARGV[3]), ARGV[4], tonumber(ARGV[5])
local slice, proposed, ahead = tonumber(ARGV[6]), tonumber(ARGV[7]), tonumber(ARGV[8])
local FIRST, FIELDS = 9, 4
local ends, last = tonumber(call('ZSCORE', ENDS, session) or 0), head.last
if not (head.maxttl and (ends > now or (ends > 0 and head.grace > now))) then
  return { whole(now), 'session-gone' }
end

-- First those whose line is empty, where they are open at once, and that want nothing special: of these there are most,
-- so it is short and makes one function only. What is left comes behind, and so does all of its line that follows it.
local answers, left = {}, nil
local simple = head.grace <= now and now <= not_after and proposed == 0
for at = FIRST, #ARGV, FIELDS do
  local id, line, shape = ARGV[at], ARGV[at + 1], ARGV[at + 2]
  local plain = simple and ARGV[at + 3] == '' and string.sub(shape, -4) == ' 0 0'
  if plain and not (left and left[line]) and not call('HGET', BOOK, 'l' .. line) then
    local seq = whole(next_number(least))
    call('ZADD', INDEX, 0, 'o' .. id .. line)
    call('HSET', BOOK, 'l' .. line, id .. ' ' .. seq .. ' 1 0 -1 0 ' .. moment .. ' ' .. shape .. ' ' .. line)
    tell_watchers(line)
    answers[(at - FIRST) / FIELDS + 1] = seq
  else
    left = left or {}
    left[#left + 1] = at
    left[line] = true
  end
end
if not left then
  save_last()
  return { moment, 'told', answers }
end

--@ line

local function refuse(line)
  local holder = holder_of(line)
  if not holder then return { 'refused', {} } end
  local tried = call('HGET', BOOK, 't' .. line)
  local untl, beside = string.match(tried or '', '^(%d+) (.*)$')
  local ends, who = now + slice, mark_of(holder)
  if beside == who then ends = math.max(ends, tonumber(untl)) end
  call('HSET', BOOK, 't' .. line, whole(ends) .. ' ' .. who)
  tell(holder.id)
  return { 'refused', row(holder) }
end

-- A number of the store's own, or the one that was proposed if it fits; else why not.
local function number()
  if proposed == 0 then return next_number(least) end
  if proposed <= head.last then return nil, { 'too-low', whole(head.last) } end
  if proposed > now + ahead then return nil, { 'too-high', whole(now) } end
  head.last = proposed
  return proposed
end

local function enter_line(id, line, weight, capacity, flags, hold)
  local state = settle(line, {})
  if state.again then return { 'again' } end
  local fits = state.complete and state.sum + weight <= math.min(state.least, capacity) and (proposed > 0 or not held_back())
  if mode == 'try' and not fits then return refuse(line) end
  local seq, why = number()
  if not seq then return why end
  local claim = { id = id, seq = seq, open = false, dead = 0, slot = -1, order = '0', since = moment, weight = weight,
    capacity = capacity, flags = flags, hold = hold, line = line }
  -- Nobody else is there: it is kept alone.
  claim.alone = not text_of(line)
  if fits then
    open(claim, state.taken)
    tell_watchers(line)
  end
  if claim.alone then
    call('ZADD', INDEX, 0, 'o' .. id .. line)
  else
    call('ZADD', INDEX, 0, place(claim), 0, 'o' .. id .. line)
  end
  save(claim)
  if claim.open then return open_standing(claim) end
  if claim.alone then spread(line) end
  return closed_standing(claim)
end

local function enter(id, line, shape, notes)
  local earlier = find(id, line)
  -- It is told as well when it opens: a repeat may come so late that nobody reads its answer.
  if earlier and lives(earlier) then return settled_standing(earlier, {}) end
  if now > not_after then return { 'too-late' } end
  if mode == 'try' and proposed == 0 and held_back() then return { 'held-back', whole(head.grace - now) } end
  if earlier then remove(earlier) end
  local weight, capacity, flags, hold = string.match(shape, '^(%d+) (%d+) (%d+) (%d+)$')
  local answer = enter_line(id, line, tonumber(weight), tonumber(capacity), tonumber(flags), tonumber(hold))
  if notes ~= '' and (answer[1] == 'open' or answer[1] == 'closed') then call('HSET', BOOK, 'n' .. id, notes) end
  return answer
end

for _, at in ipairs(left) do
  local answer = enter(ARGV[at], ARGV[at + 1], ARGV[at + 2], ARGV[at + 3])
  if proposed > 0 and answer[1] == 'open' and held_back() then answer[6] = whole(head.grace - now) end
  answers[(at - FIRST) / FIELDS + 1] = answer
end
if head.last ~= last then save_last() end
return { moment, 'told', answers }
