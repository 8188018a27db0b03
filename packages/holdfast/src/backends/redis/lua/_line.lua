-- line: sessions, claims and the rule that opens them. A claim's record is text, its fields separated by a space. A
-- line with one claim is kept as that claim's record alone; with more it is spread: the records lie in the book, and
-- one sorted set of equal scores has them in the order of their bytes: 'l' line NUL seq id. In the same set are the
-- claims of each session: 'o' id line. An id has 25 characters and begins with its session's id, which has 16.
-- A record:  seq, open, dead (own end, 0: none), slot (-1: none), order (of the newest amendment), since, weight,
--            capacity, flags, hold, line
-- The book:  'l' line: id and record of its one claim, or '+'   id: record   'w' session: channel, pid and host
--            'n' id: notes   'm' session: mailbox   't' line: until when and beside whom somebody tried

-- A long line is read a page at a time. Mostly the first few decide, so the first page is short.
local FEW, PAGE = 3, 16
-- No step removes more of the dead than that; the caller sends its request again.
local DEAD_MAX = 512
local buried = 0

local SLOT, DETACHED = 1, 2

local function held_back()
  return head.grace > now
end

local function session_of(id)
  return string.sub(id, 1, 16)
end

-- A session's end; 0: it has none, or it is dead for good, whatever the clock does later.
local known_ends = {}
local function end_of(session)
  local ends = known_ends[session]
  if not ends then
    ends = tonumber(call('ZSCORE', ENDS, session) or 0)
    known_ends[session] = ends
  end
  return ends
end

local function set_end(session, ends)
  known_ends[session] = ends
  call('ZADD', ENDS, whole(ends), session)
end

-- While grants are held back after a loss, whoever is there counts as alive.
local function session_lives(session)
  local ends = end_of(session)
  return ends > now or (ends > 0 and held_back())
end

local function parse(id, record)
  local seq, open, dead, slot, order, since, weight, capacity, flags, hold, line =
    string.match(record, '^(%d+) (%d) (%d+) (%-?%d+) (%S+) (%d+) (%d+) (%d+) (%d) (%d+) (.*)$')
  return {
    id = id, seq = tonumber(seq), weight = tonumber(weight), capacity = tonumber(capacity), open = open == '1',
    dead = tonumber(dead), slot = tonumber(slot), flags = tonumber(flags), hold = tonumber(hold), order = order,
    since = since, line = line,
  }
end

local function record_of(claim)
  return string.format('%.0f %d %.0f %.0f %s %s %.0f %.0f %d %.0f %s', claim.seq, claim.open and 1 or 0, claim.dead,
    claim.slot, claim.order, claim.since, claim.weight, claim.capacity, claim.flags, claim.hold, claim.line)
end

local function before(line)
  return 'l' .. line .. '\0'
end
local function behind(line)
  return '(l' .. line .. '\1'
end
local function place(claim)
  return before(claim.line) .. string.format('%016.0f', claim.seq) .. claim.id
end
local function id_in(line, member)
  return string.sub(member, #line + 19)
end

-- The text of a line: nothing, '+', or the id and record of its one claim.
local function text_of(line)
  return call('HGET', BOOK, 'l' .. line)
end

local function alone(text)
  local id, record = string.match(text, '^(%S+) (.*)$')
  local claim = parse(id, record)
  claim.alone = true
  return claim
end

-- A claim of a line that is spread.
local function claim_of(id)
  local record = call('HGET', BOOK, id)
  return record and parse(id, record) or nil
end

-- A record without its place in the line is what a lost index has left: such a claim is gone, and nobody else would
-- ever come across it.
local function find(id, line)
  local texts = call('HMGET', BOOK, 'l' .. line, id)
  local text, claim = texts[1], texts[2] and parse(id, texts[2])
  if claim and claim.line == line then
    if text == '+' and call('ZSCORE', INDEX, place(claim)) then return claim end
    call('HDEL', BOOK, id, 'n' .. id)
  end
  if not text or text == '+' then return nil end
  claim = alone(text)
  return claim.id == id and claim or nil
end

local function save(claim)
  if claim.alone then
    call('HSET', BOOK, 'l' .. claim.line, claim.id .. ' ' .. record_of(claim))
  else
    call('HSET', BOOK, claim.id, record_of(claim))
  end
end

local function has(claim, flag)
  return math.floor(claim.flags / flag) % 2 == 1
end

local function lives(claim)
  return session_lives(session_of(claim.id)) and (claim.dead == 0 or claim.dead > now)
end

local function ends_at(claim)
  local ends = end_of(session_of(claim.id))
  return claim.dead > 0 and math.min(ends, claim.dead) or ends
end

local function tell(id)
  local who = call('HGET', BOOK, 'w' .. session_of(id))
  local channel = who and string.match(who, '^%S+')
  if channel then call('PUBLISH', channel, id) end
end

-- Makes room for others beside a claim that was alone. Gives the line's text.
local function spread(line)
  local text = text_of(line)
  if not text or text == '+' then return text end
  local claim = alone(text)
  call('ZADD', INDEX, 0, place(claim))
  call('HSET', BOOK, claim.id, record_of(claim), 'l' .. line, '+')
  return '+'
end

local function remove(claim)
  local own = 'o' .. claim.id .. claim.line
  if claim.alone then
    call('ZREM', INDEX, own)
    call('HDEL', BOOK, 'l' .. claim.line, 't' .. claim.line, 'n' .. claim.id)
  else
    call('ZREM', INDEX, place(claim), own)
    call('HDEL', BOOK, claim.id, 'n' .. claim.id)
  end
  if claim.dead > 0 then call('ZREM', ENDS, claim.id .. claim.line) end
  tell_watchers(claim.line)
end

-- Death is an act: from here on the session is dead whatever clocks do. Its entry stays until its last claim is met, and
-- is made where it was lost, or no sweep would come to what else the session has left.
local dead_for_good = {}
local function bury(claim)
  local session = session_of(claim.id)
  remove(claim)
  buried = buried + 1
  if not dead_for_good[session] and not session_lives(session) then
    dead_for_good[session] = true
    set_end(session, 0)
  end
end

-- So many of a spread line's members from the given bound on.
local function page_of(line, from, most)
  return call('ZRANGEBYLEX', INDEX, from, behind(line), 'LIMIT', 0, most)
end
-- And backwards.
local function page_before(line, to, most)
  return call('ZREVRANGEBYLEX', INDEX, to, '[' .. before(line), 'LIMIT', 0, most)
end

local function smallest_free(taken)
  local slot = 0
  while taken[slot] do slot = slot + 1 end
  return slot
end

local function end_with(claim)
  if claim.dead > 0 then
    call('ZADD', ENDS, whole(claim.dead), claim.id .. claim.line)
    if has(claim, DETACHED) then set_end(session_of(claim.id), claim.dead) end
  end
end

-- Makes a claim open from this step on. `taken`: the slots of those ahead.
local function open(claim, taken)
  claim.open = true
  claim.since = whole(now)
  if claim.hold > 0 then claim.dead = now + claim.hold end
  if has(claim, SLOT) then claim.slot = smallest_free(taken) end
  end_with(claim)
end

-- Deletes the dead of a line up to the first claim that cannot open, opens whom the rule lets in and tells those, but
-- not `except`. Gives the sum of the weights, the smallest capacity and the slots of the open ones, and whether the
-- whole line is open. The line is spread then, or empty.
local function settle(line, except)
  local state = { sum = 0, least = 2 ^ 53, taken = {}, complete = true }
  if not spread(line) then return state end
  local from, most, empty = '[' .. before(line), FEW, true
  while true do
    local members = page_of(line, from, most)
    for _, member in ipairs(members) do
      local id = id_in(line, member)
      local claim = claim_of(id)
      if not claim then
        call('ZREM', INDEX, member)
      elseif not lives(claim) then
        if buried >= DEAD_MAX then
          state.complete, state.again = false, true
          return state
        end
        bury(claim)
      else
        empty = false
        local fits = state.sum + claim.weight <= math.min(state.least, claim.capacity)
        if not claim.open and (not fits or held_back() or not head.maxttl) then
          -- Without a header nobody can say whether grants are held back. Who asks then opens a session anew.
          if fits and not head.maxttl then tell(id) end
          state.complete = false
          return state
        end
        if not claim.open then
          open(claim, state.taken)
          save(claim)
          if not except[id] then tell(id) end
          tell_watchers(line)
        end
        state.sum, state.least = state.sum + claim.weight, math.min(state.least, claim.capacity)
        if claim.slot >= 0 then state.taken[claim.slot] = true end
      end
    end
    if #members < most then break end
    from, most = '(' .. members[#members], PAGE
  end
  if empty then call('HDEL', BOOK, 'l' .. line, 't' .. line) end
  return state
end

-- Lines are settled in the order in which they were met, so that what opens in one step does so in the same order
-- everywhere.
local function meet(lines, line)
  if lines[line] then return end
  lines[line] = true
  lines[#lines + 1] = line
end
local function settle_all(lines)
  for _, line in ipairs(lines) do settle(line, {}) end
end

-- Of a claim beside which somebody tried: not of one that comes later under its id.
local function mark_of(claim)
  return claim.id .. ' ' .. whole(claim.seq)
end

-- Somebody tried within the last slice, beside a holder who is still there.
local function was_tried(line)
  local tried = call('HGET', BOOK, 't' .. line)
  if not tried then return false end
  local untl, mark, id = string.match(tried, '^(%d+) ((%S+) .*)$')
  local first = tonumber(untl) > now and find(id, line)
  return first and mark_of(first) == mark and lives(first) or false
end

-- Somebody of another session waits in the line, or tried within the last slice.
local function contended(line, session)
  if text_of(line) ~= '+' then return was_tried(line) end
  local to, most = behind(line), FEW
  while true do
    local members = page_before(line, to, most)
    for _, member in ipairs(members) do
      local claim = claim_of(id_in(line, member))
      if claim and claim.open then return was_tried(line) end
      if claim and session_of(claim.id) ~= session and lives(claim) then return true end
    end
    if #members < most then return false end
    to, most = '(' .. members[#members], PAGE
  end
end

-- What others may see of a claim: its record, who has it, and its notes.
local function row(claim)
  local texts = call('HMGET', BOOK, 'w' .. session_of(claim.id), 'n' .. claim.id)
  return { claim.id, record_of(claim), texts[1] or '', texts[2] or '' }
end

-- The first claim of the line that is alive, if it is open.
local function holder_of(line)
  local text = text_of(line)
  if not text then return nil end
  if text ~= '+' then
    local claim = alone(text)
    return claim.open and lives(claim) and claim or nil
  end
  local from, most = '[' .. before(line), FEW
  while true do
    local members = page_of(line, from, most)
    for _, member in ipairs(members) do
      local claim = claim_of(id_in(line, member))
      if claim and lives(claim) then return claim.open and claim or nil end
    end
    if #members < most then return nil end
    from, most = '(' .. members[#members], PAGE
  end
end

local function open_standing(claim)
  return { 'open', whole(claim.seq), claim.slot, claim.dead > 0 and whole(claim.dead - now) or '-1',
    contended(claim.line, session_of(claim.id)) and 1 or 0 }
end

-- A closed claim of a settled line. It looks back until those ahead, together with itself, are too many: while they
-- all stand it cannot open, so the earliest of their ends bounds its sleep.
local function closed_standing(claim)
  local sum, least, earliest, first = claim.weight, claim.capacity, held_back() and head.grace or 2 ^ 53, true
  local to, most, enough, nearest = '(' .. place(claim), FEW, false, true
  while not enough do
    local members = page_before(claim.line, to, most)
    for _, member in ipairs(members) do
      local ahead = claim_of(id_in(claim.line, member))
      if ahead and lives(ahead) then
        if nearest then first, nearest = ahead.open, false end
        sum, least = sum + ahead.weight, math.min(least, ahead.capacity)
        earliest = math.min(earliest, ends_at(ahead))
        if sum > least then
          enough = true
          break
        end
      end
    end
    if #members < most then break end
    to, most = '(' .. members[#members], PAGE
  end
  local holder = holder_of(claim.line)
  return { 'closed', whole(claim.seq), first and 1 or 0, earliest < 2 ^ 53 and whole(earliest - now) or '-1',
    holder and row(holder) or {} }
end

-- Settles the line of a closed claim and says what the claim is then.
local function settled_standing(claim, except)
  if claim.open then return open_standing(claim) end
  if settle(claim.line, except).again then return { 'again' } end
  local settled = claim_of(claim.id)
  return settled.open and open_standing(settled) or closed_standing(settled)
end
