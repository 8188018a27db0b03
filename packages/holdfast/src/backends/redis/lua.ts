/** Generated from the files in lua/ by `npm run lua`. Long because all verbs and what they share is here. */

const HEADER_1 = `local call = redis.call
local HEAD = KEYS[1]
local clock = call('TIME')
local now = clock[1] * 1000000 + clock[2]
local moment = clock[1] .. string.sub('00000' .. clock[2], -6)
`

const HEADER_WHOLE = `local function whole(number)
if number == now then return moment end
return string.format('%.0f', number)
end
`

const HEADER_3 = `local print = tostring(redis) .. ' 1'
local stored = call('HMGET', HEAD, 'print', 'last', 'grace', 'era', 'maxttl')
local head = {
print = stored[1], last = tonumber(stored[2] or 0), grace = tonumber(stored[3] or 0), era = stored[4],
maxttl = stored[5],
}
if head.print ~= print then
local layout = call('HGET', HEAD, 'layout')
if layout and layout ~= '1' then
error({ err = 'HOLDFAST the store has layout ' .. layout .. ', and this client needs layout 1' })
end
end
`

const ERA_RISE = `local function rise(maxttl, quarantine)
head.last = math.max(head.last, now + maxttl + (quarantine == '1' and 5000000 or 0))
end
`

const ERA_2 = `if head.print ~= print then
local era = string.match(call('INFO', 'server'), 'run_id:(%x+)')
if head.maxttl and head.era ~= era then
local maxttl, quarantine = tonumber(head.maxttl), call('HGET', HEAD, 'quarantine')
rise(maxttl, quarantine)
if quarantine == '1' then head.grace = now + maxttl end
end
head.era, head.fresh = era, true
end
`

const ERA_SAVE_HEAD = `local function save_head()
call('HSET', HEAD, 'layout', '1', 'era', head.era, 'print', print, 'last', whole(head.last), 'grace', whole(head.grace))
end
`

const ERA_6 = `if head.fresh and head.maxttl then save_head() end
`

const CONSTANTS_DISAGREE = `local function disagree(maxttl, quarantine, seen)
local fixed = call('HMGET', HEAD, 'maxttl', 'quarantine')
if not fixed[1] then
rise(maxttl, quarantine)
if quarantine == '1' and (seen or #call('ZRANGEBYSCORE', KEYS[2], '-inf', '+inf', 'LIMIT', 0, 1) > 0) then
head.grace = now + maxttl
end
head.maxttl = whole(maxttl)
call('HSET', HEAD, 'maxttl', head.maxttl, 'quarantine', quarantine)
save_head()
elseif tonumber(fixed[1]) ~= maxttl or fixed[2] ~= quarantine then
return { whole(now), 'differs', fixed[1], fixed[2] }
end
end
`

const ERA_SAVE_LAST = `local function save_last()
if head.fresh then save_head() else call('HSET', HEAD, 'last', whole(head.last)) end
end
`

const KEYS_1 = `local ENDS, INDEX, BOOK = KEYS[2], KEYS[3], KEYS[4]
local NEWS = ARGV[1]
`

const KEYS_TELL_WATCHERS = `local function tell_watchers(line)
local kind = string.byte(line)
if kind == 101 and string.find(line, '^election:') or kind == 98 and string.find(line, '^barrier:') then
call('PUBLISH', NEWS, line)
end
end
`

const LINE_1 = `local FEW, PAGE = 3, 16
local DEAD_MAX = 512
local buried = 0
local SLOT, DETACHED = 1, 2
`

const LINE_HELD_BACK = `local function held_back()
return head.grace > now
end
`

const LINE_SESSION_OF = `local function session_of(id)
return string.sub(id, 1, 16)
end
`

const LINE_4 = `local known_ends = {}
`

const LINE_END_OF = `local function end_of(session)
local ends = known_ends[session]
if not ends then
ends = tonumber(call('ZSCORE', ENDS, session) or 0)
known_ends[session] = ends
end
return ends
end
`

const LINE_SET_END = `local function set_end(session, ends)
known_ends[session] = ends
call('ZADD', ENDS, whole(ends), session)
end
`

const LINE_SESSION_LIVES = `local function session_lives(session)
local ends = end_of(session)
return ends > now or (ends > 0 and held_back())
end
`

const LINE_PARSE = `local function parse(id, record)
local seq, open, dead, slot, order, since, weight, capacity, flags, hold, line =
string.match(record, '^(%d+) (%d) (%d+) (%-?%d+) (%S+) (%d+) (%d+) (%d+) (%d) (%d+) (.*)$')
return {
id = id, seq = tonumber(seq), weight = tonumber(weight), capacity = tonumber(capacity), open = open == '1',
dead = tonumber(dead), slot = tonumber(slot), flags = tonumber(flags), hold = tonumber(hold), order = order,
since = since, line = line,
}
end
`

const LINE_RECORD_OF = `local function record_of(claim)
return string.format('%.0f %d %.0f %.0f %s %s %.0f %.0f %d %.0f %s', claim.seq, claim.open and 1 or 0, claim.dead,
claim.slot, claim.order, claim.since, claim.weight, claim.capacity, claim.flags, claim.hold, claim.line)
end
`

const LINE_BEFORE = `local function before(line)
return 'l' .. line .. '\\0'
end
`

const LINE_BEHIND = `local function behind(line)
return '(l' .. line .. '\\1'
end
`

const LINE_PLACE = `local function place(claim)
return before(claim.line) .. string.format('%016.0f', claim.seq) .. claim.id
end
`

const LINE_ID_IN = `local function id_in(line, member)
return string.sub(member, #line + 19)
end
`

const LINE_TEXT_OF = `local function text_of(line)
return call('HGET', BOOK, 'l' .. line)
end
`

const LINE_ALONE = `local function alone(text)
local id, record = string.match(text, '^(%S+) (.*)$')
local claim = parse(id, record)
claim.alone = true
return claim
end
`

const LINE_CLAIM_OF = `local function claim_of(id)
local record = call('HGET', BOOK, id)
return record and parse(id, record) or nil
end
`

const LINE_FIND = `local function find(id, line)
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
`

const LINE_SAVE = `local function save(claim)
if claim.alone then
call('HSET', BOOK, 'l' .. claim.line, claim.id .. ' ' .. record_of(claim))
else
call('HSET', BOOK, claim.id, record_of(claim))
end
end
`

const LINE_HAS = `local function has(claim, flag)
return math.floor(claim.flags / flag) % 2 == 1
end
`

const LINE_LIVES = `local function lives(claim)
return session_lives(session_of(claim.id)) and (claim.dead == 0 or claim.dead > now)
end
`

const LINE_TELL = `local function tell(id)
local who = call('HGET', BOOK, 'w' .. session_of(id))
local channel = who and string.match(who, '^%S+')
if channel then call('PUBLISH', channel, id) end
end
`

const LINE_SPREAD = `local function spread(line)
local text = text_of(line)
if not text or text == '+' then return text end
local claim = alone(text)
call('ZADD', INDEX, 0, place(claim))
call('HSET', BOOK, claim.id, record_of(claim), 'l' .. line, '+')
return '+'
end
`

const LINE_REMOVE = `local function remove(claim)
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
`

const LINE_25 = `local dead_for_good = {}
`

const LINE_BURY = `local function bury(claim)
local session = session_of(claim.id)
remove(claim)
buried = buried + 1
if not dead_for_good[session] and not session_lives(session) then
dead_for_good[session] = true
set_end(session, 0)
end
end
`

const LINE_PAGE_OF = `local function page_of(line, from, most)
return call('ZRANGEBYLEX', INDEX, from, behind(line), 'LIMIT', 0, most)
end
`

const LINE_SMALLEST_FREE = `local function smallest_free(taken)
local slot = 0
while taken[slot] do slot = slot + 1 end
return slot
end
`

const LINE_END_WITH = `local function end_with(claim)
if claim.dead > 0 then
call('ZADD', ENDS, whole(claim.dead), claim.id .. claim.line)
if has(claim, DETACHED) then set_end(session_of(claim.id), claim.dead) end
end
end
`

const LINE_OPEN = `local function open(claim, taken)
claim.open = true
claim.since = whole(now)
if claim.hold > 0 then claim.dead = now + claim.hold end
if has(claim, SLOT) then claim.slot = smallest_free(taken) end
end_with(claim)
end
`

const LINE_SETTLE = `local function settle(line, except)
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
`

const LINE_MEET = `local function meet(lines, line)
if lines[line] then return end
lines[line] = true
lines[#lines + 1] = line
end
`

const LINE_SETTLE_ALL = `local function settle_all(lines)
for _, line in ipairs(lines) do settle(line, {}) end
end
`

const SWEEP_1 = `local SESSIONS_MAX, CLAIMS_MAX = 8, 64
`

const SWEEP_SWEEP_SESSION = `local function sweep_session(dead, most, lines)
local members = call('ZRANGEBYLEX', INDEX, '[o' .. dead .. '.', '(o' .. dead .. '/', 'LIMIT', 0, most)
for _, member in ipairs(members) do
local claim = find(string.sub(member, 2, 26), string.sub(member, 27))
if claim then
remove(claim)
meet(lines, claim.line)
else
call('ZREM', INDEX, member)
end
end
if #members < most then
call('ZREM', ENDS, dead)
call('HDEL', BOOK, 'w' .. dead, 'm' .. dead)
known_ends[dead] = 0
else
set_end(dead, 0)
end
return #members
end
`

const SWEEP_SWEEP = `local function sweep()
local lines, left = {}, CLAIMS_MAX
for _, member in ipairs(call('ZRANGEBYSCORE', ENDS, '-inf', whole(now), 'LIMIT', 0, SESSIONS_MAX)) do
local claim = #member > 16 and find(string.sub(member, 1, 25), string.sub(member, 26))
if claim then
bury(claim)
meet(lines, claim.line)
elseif #member > 16 then
call('ZREM', ENDS, member)
elseif left > 0 and not session_lives(member) then
left = left - sweep_session(member, left, lines)
end
end
settle_all(lines)
end
`

const ERA_NEXT_NUMBER = `local function next_number(least)
head.last = math.max(head.last + 1, least, now)
if head.last >= 9007199254740992 then error({ err = 'HOLDFAST the next number would not be below 2^53' }) end
return head.last
end
`

const LINE_ENDS_AT = `local function ends_at(claim)
local ends = end_of(session_of(claim.id))
return claim.dead > 0 and math.min(ends, claim.dead) or ends
end
`

const LINE_PAGE_BEFORE = `local function page_before(line, to, most)
return call('ZREVRANGEBYLEX', INDEX, to, '[' .. before(line), 'LIMIT', 0, most)
end
`

const LINE_MARK_OF = `local function mark_of(claim)
return claim.id .. ' ' .. whole(claim.seq)
end
`

const LINE_WAS_TRIED = `local function was_tried(line)
local tried = call('HGET', BOOK, 't' .. line)
if not tried then return false end
local untl, mark, id = string.match(tried, '^(%d+) ((%S+) .*)$')
local first = tonumber(untl) > now and find(id, line)
return first and mark_of(first) == mark and lives(first) or false
end
`

const LINE_CONTENDED = `local function contended(line, session)
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
`

const LINE_ROW = `local function row(claim)
local texts = call('HMGET', BOOK, 'w' .. session_of(claim.id), 'n' .. claim.id)
return { claim.id, record_of(claim), texts[1] or '', texts[2] or '' }
end
`

const LINE_HOLDER_OF = `local function holder_of(line)
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
`

const LINE_OPEN_STANDING = `local function open_standing(claim)
return { 'open', whole(claim.seq), claim.slot, claim.dead > 0 and whole(claim.dead - now) or '-1',
contended(claim.line, session_of(claim.id)) and 1 or 0 }
end
`

const LINE_CLOSED_STANDING = `local function closed_standing(claim)
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
`

const LINE_SETTLED_STANDING = `local function settled_standing(claim, except)
if claim.open then return open_standing(claim) end
if settle(claim.line, except).again then return { 'again' } end
local settled = claim_of(claim.id)
return settled.open and open_standing(settled) or closed_standing(settled)
end
`

export const AGREE: string = `#!lua
${HEADER_1}${HEADER_WHOLE}${HEADER_3}${ERA_RISE}${ERA_2}${ERA_SAVE_HEAD}${ERA_6}${CONSTANTS_DISAGREE}return disagree(tonumber(ARGV[1]), ARGV[2], ARGV[3] == '1') or { whole(now), 'agreed' }
`

export const OPEN: string = `#!lua
${HEADER_1}${HEADER_WHOLE}${HEADER_3}${ERA_RISE}${ERA_2}${ERA_SAVE_HEAD}${ERA_SAVE_LAST}${ERA_6}${CONSTANTS_DISAGREE}${KEYS_1}${KEYS_TELL_WATCHERS}${LINE_1}${LINE_HELD_BACK}${LINE_SESSION_OF}${LINE_4}${LINE_END_OF}${LINE_SET_END}${LINE_SESSION_LIVES}${LINE_PARSE}${LINE_RECORD_OF}${LINE_BEFORE}${LINE_BEHIND}${LINE_PLACE}${LINE_ID_IN}${LINE_TEXT_OF}${LINE_ALONE}${LINE_CLAIM_OF}${LINE_FIND}${LINE_SAVE}${LINE_HAS}${LINE_LIVES}${LINE_TELL}${LINE_SPREAD}${LINE_REMOVE}${LINE_25}${LINE_BURY}${LINE_PAGE_OF}${LINE_SMALLEST_FREE}${LINE_END_WITH}${LINE_OPEN}${LINE_SETTLE}${LINE_MEET}${LINE_SETTLE_ALL}${SWEEP_1}${SWEEP_SWEEP_SESSION}${SWEEP_SWEEP}local session, ttl, who, seen = ARGV[2], tonumber(ARGV[3]), ARGV[4], ARGV[5] == '1'
local least, maxttl, quarantine = tonumber(ARGV[6]), tonumber(ARGV[7]), ARGV[8]
local difference = disagree(maxttl, quarantine, seen)
if difference then return difference end
head.last = math.max(head.last, least - 1)
save_last()
local known = call('ZSCORE', ENDS, session)
if not known then
call('HSET', BOOK, 'w' .. session, who)
set_end(session, now + ttl)
elseif tonumber(known) > now then
set_end(session, math.max(tonumber(known), now + ttl))
end
sweep()
return { whole(now), 'opened', head.era, held_back() and whole(head.grace - now) or '0' }
`

export const ENTER: string = `#!lua
${HEADER_1}${HEADER_WHOLE}${HEADER_3}${ERA_RISE}${ERA_2}${ERA_NEXT_NUMBER}${ERA_SAVE_HEAD}${ERA_SAVE_LAST}${ERA_6}${KEYS_1}${KEYS_TELL_WATCHERS}local session, least, mode, not_after = ARGV[2], tonumber(ARGV[3]), ARGV[4], tonumber(ARGV[5])
local slice, proposed, ahead = tonumber(ARGV[6]), tonumber(ARGV[7]), tonumber(ARGV[8])
local FIRST, FIELDS = 9, 4
local ends, last = tonumber(call('ZSCORE', ENDS, session) or 0), head.last
if not (head.maxttl and (ends > now or (ends > 0 and head.grace > now))) then
return { whole(now), 'session-gone' }
end
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
${LINE_1}${LINE_HELD_BACK}${LINE_SESSION_OF}${LINE_4}${LINE_END_OF}${LINE_SET_END}${LINE_SESSION_LIVES}${LINE_PARSE}${LINE_RECORD_OF}${LINE_BEFORE}${LINE_BEHIND}${LINE_PLACE}${LINE_ID_IN}${LINE_TEXT_OF}${LINE_ALONE}${LINE_CLAIM_OF}${LINE_FIND}${LINE_SAVE}${LINE_HAS}${LINE_LIVES}${LINE_ENDS_AT}${LINE_TELL}${LINE_SPREAD}${LINE_REMOVE}${LINE_25}${LINE_BURY}${LINE_PAGE_OF}${LINE_PAGE_BEFORE}${LINE_SMALLEST_FREE}${LINE_END_WITH}${LINE_OPEN}${LINE_SETTLE}${LINE_MARK_OF}${LINE_WAS_TRIED}${LINE_CONTENDED}${LINE_ROW}${LINE_HOLDER_OF}${LINE_OPEN_STANDING}${LINE_CLOSED_STANDING}${LINE_SETTLED_STANDING}local function refuse(line)
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
`

export const ASK: string = `#!lua flags=allow-oom
${HEADER_1}${HEADER_WHOLE}${HEADER_3}${ERA_RISE}${ERA_2}${ERA_SAVE_HEAD}${ERA_6}${KEYS_1}${KEYS_TELL_WATCHERS}${LINE_1}${LINE_HELD_BACK}${LINE_SESSION_OF}${LINE_4}${LINE_END_OF}${LINE_SET_END}${LINE_SESSION_LIVES}${LINE_PARSE}${LINE_RECORD_OF}${LINE_BEFORE}${LINE_BEHIND}${LINE_PLACE}${LINE_ID_IN}${LINE_TEXT_OF}${LINE_ALONE}${LINE_CLAIM_OF}${LINE_FIND}${LINE_SAVE}${LINE_HAS}${LINE_LIVES}${LINE_ENDS_AT}${LINE_TELL}${LINE_SPREAD}${LINE_REMOVE}${LINE_25}${LINE_BURY}${LINE_PAGE_OF}${LINE_PAGE_BEFORE}${LINE_SMALLEST_FREE}${LINE_END_WITH}${LINE_OPEN}${LINE_SETTLE}${LINE_MARK_OF}${LINE_WAS_TRIED}${LINE_CONTENDED}${LINE_ROW}${LINE_HOLDER_OF}${LINE_OPEN_STANDING}${LINE_CLOSED_STANDING}${LINE_SETTLED_STANDING}local session = ARGV[2]
if not (head.maxttl and session_lives(session)) then return { whole(now), 'session-gone' } end
local asked = {}
for at = 3, #ARGV, 2 do asked[ARGV[at]] = true end
local standings = {}
for at = 3, #ARGV, 2 do
local claim = find(ARGV[at], ARGV[at + 1])
local own = claim and session_of(claim.id) == session and lives(claim)
standings[#standings + 1] = own and settled_standing(claim, asked) or { 'gone' }
end
return { whole(now), 'told', standings }
`

export const LEAVE: string = `#!lua flags=allow-oom
${HEADER_1}${HEADER_WHOLE}${HEADER_3}${ERA_RISE}${ERA_2}${ERA_SAVE_HEAD}${ERA_6}${KEYS_1}${KEYS_TELL_WATCHERS}local found, left, ends = {}, nil, {}
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
local record = call('HGET', BOOK, id)
if record and string.sub(record, -#line - 1) == ' ' .. line then call('HDEL', BOOK, id, 'n' .. id) end
end
end
if not left then return { whole(now), 'told', found } end
${LINE_1}${LINE_HELD_BACK}${LINE_SESSION_OF}${LINE_4}${LINE_END_OF}${LINE_SET_END}${LINE_SESSION_LIVES}${LINE_PARSE}${LINE_RECORD_OF}${LINE_BEFORE}${LINE_BEHIND}${LINE_PLACE}${LINE_ID_IN}${LINE_TEXT_OF}${LINE_ALONE}${LINE_CLAIM_OF}${LINE_FIND}${LINE_SAVE}${LINE_HAS}${LINE_LIVES}${LINE_TELL}${LINE_SPREAD}${LINE_REMOVE}${LINE_25}${LINE_BURY}${LINE_PAGE_OF}${LINE_SMALLEST_FREE}${LINE_END_WITH}${LINE_OPEN}${LINE_SETTLE}${LINE_MEET}${LINE_SETTLE_ALL}local lines = {}
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
`

export const AMEND: string = `#!lua flags=allow-oom
${HEADER_1}${HEADER_WHOLE}${HEADER_3}${ERA_RISE}${ERA_2}${ERA_SAVE_HEAD}${ERA_6}${KEYS_1}${KEYS_TELL_WATCHERS}${LINE_1}${LINE_HELD_BACK}${LINE_SESSION_OF}${LINE_4}${LINE_END_OF}${LINE_SET_END}${LINE_SESSION_LIVES}${LINE_PARSE}${LINE_RECORD_OF}${LINE_BEFORE}${LINE_BEHIND}${LINE_PLACE}${LINE_ID_IN}${LINE_TEXT_OF}${LINE_ALONE}${LINE_CLAIM_OF}${LINE_FIND}${LINE_SAVE}${LINE_HAS}${LINE_LIVES}${LINE_ENDS_AT}${LINE_TELL}${LINE_SPREAD}${LINE_REMOVE}${LINE_25}${LINE_BURY}${LINE_PAGE_OF}${LINE_PAGE_BEFORE}${LINE_SMALLEST_FREE}${LINE_END_WITH}${LINE_OPEN}${LINE_SETTLE}${LINE_MARK_OF}${LINE_WAS_TRIED}${LINE_CONTENDED}${LINE_ROW}${LINE_HOLDER_OF}${LINE_OPEN_STANDING}${LINE_CLOSED_STANDING}${LINE_SETTLED_STANDING}local session, id, line, weight, hold, order = ARGV[2], ARGV[3], ARGV[4], tonumber(ARGV[5]), tonumber(ARGV[6]), ARGV[7]
if not (head.maxttl and session_lives(session)) then return { whole(now), 'session-gone' } end
local claim = find(id, line)
if not (claim and session_of(id) == session and lives(claim)) then
return { whole(now), 'told', { 'gone' } }
end
if not claim.open then return { whole(now), 'told', settled_standing(claim, { [id] = true }) } end
if weight > claim.weight then return { whole(now), 'grows', whole(claim.weight) } end
if hold == 0 and has(claim, DETACHED) then return { whole(now), 'endless' } end
if weight > 0 then claim.weight = weight end
local late = order ~= '' and tonumber(order) <= tonumber(claim.order)
if order ~= '' and not late then claim.order = order end
if not late then
if hold >= 0 then
if claim.dead > 0 then call('ZREM', ENDS, id .. line) end
claim.dead = hold > 0 and now + hold or 0
end
end_with(claim)
end
save(claim)
if not late and not claim.alone then settle(line, {}) end
return { whole(now), 'told', open_standing(claim) }
`

export const BEAT: string = `#!lua flags=allow-oom
${HEADER_1}${HEADER_WHOLE}${HEADER_3}${ERA_RISE}${ERA_2}${ERA_SAVE_HEAD}${ERA_6}${KEYS_1}${KEYS_TELL_WATCHERS}${LINE_1}${LINE_HELD_BACK}${LINE_SESSION_OF}${LINE_4}${LINE_END_OF}${LINE_SET_END}${LINE_SESSION_LIVES}${LINE_PARSE}${LINE_RECORD_OF}${LINE_BEFORE}${LINE_BEHIND}${LINE_PLACE}${LINE_ID_IN}${LINE_TEXT_OF}${LINE_ALONE}${LINE_CLAIM_OF}${LINE_FIND}${LINE_SAVE}${LINE_HAS}${LINE_LIVES}${LINE_TELL}${LINE_SPREAD}${LINE_REMOVE}${LINE_25}${LINE_BURY}${LINE_PAGE_OF}${LINE_PAGE_BEFORE}${LINE_SMALLEST_FREE}${LINE_END_WITH}${LINE_OPEN}${LINE_SETTLE}${LINE_MEET}${LINE_SETTLE_ALL}${LINE_MARK_OF}${LINE_WAS_TRIED}${LINE_CONTENDED}${SWEEP_1}${SWEEP_SWEEP_SESSION}${SWEEP_SWEEP}local session, ttl, after, limit, era = ARGV[2], tonumber(ARGV[3]), ARGV[4], tonumber(ARGV[5]), ARGV[6]
local function audit()
local rows = {}
local from = after == '' and '[o' .. session .. '.' or '(o' .. after .. '\\255'
while #rows < limit * 4 do
local most = limit - #rows / 4
local members = call('ZRANGEBYLEX', INDEX, from, '(o' .. session .. '/', 'LIMIT', 0, most)
for _, member in ipairs(members) do
local claim = find(string.sub(member, 2, 26), string.sub(member, 27))
if claim and lives(claim) then
local at = #rows
rows[at + 1], rows[at + 2], rows[at + 3] = claim.id, whole(claim.seq), claim.line
rows[at + 4] = contended(claim.line, session) and 1 or 0
end
end
if #members < most then break end
from = '(' .. members[#members]
end
return rows
end
local function mail()
local ids = {}
local untl, text = string.match(call('HGET', BOOK, 'm' .. session) or '', '^(%d+)(.*)$')
if not untl then return ids end
if tonumber(untl) <= now then
call('HDEL', BOOK, 'm' .. session)
else
for id in string.gmatch(text, '%S+') do ids[#ids + 1] = id end
end
return ids
end
if not (head.maxttl and session_lives(session)) then
if end_of(session) == 0 then
local lines = {}
sweep_session(session, CLAIMS_MAX, lines)
settle_all(lines)
end
return { whole(now), 'session-gone' }
end
if era ~= '' and era ~= head.era then return { whole(now), 'moved', head.era } end
set_end(session, math.max(end_of(session), now + ttl))
sweep()
return { whole(now), 'beaten', audit(), mail() }
`

export const BEAT_BARE: string = `#!lua flags=allow-oom
local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]
local ends = tonumber(redis.call('ZSCORE', KEYS[1], ARGV[1]) or 0)
if ends <= now then return { string.format('%.0f', now), 'session-gone' } end
redis.call('ZADD', KEYS[1], 'GT', string.format('%.0f', now + ARGV[2]), ARGV[1])
return { string.format('%.0f', now), 'beaten' }
`

export const FINISH: string = `#!lua flags=allow-oom
${HEADER_1}${HEADER_WHOLE}${HEADER_3}${ERA_RISE}${ERA_2}${ERA_SAVE_HEAD}${ERA_6}${KEYS_1}${KEYS_TELL_WATCHERS}${LINE_1}${LINE_HELD_BACK}${LINE_SESSION_OF}${LINE_4}${LINE_END_OF}${LINE_SET_END}${LINE_SESSION_LIVES}${LINE_PARSE}${LINE_RECORD_OF}${LINE_BEFORE}${LINE_BEHIND}${LINE_PLACE}${LINE_ID_IN}${LINE_TEXT_OF}${LINE_ALONE}${LINE_CLAIM_OF}${LINE_FIND}${LINE_SAVE}${LINE_HAS}${LINE_LIVES}${LINE_TELL}${LINE_SPREAD}${LINE_REMOVE}${LINE_25}${LINE_BURY}${LINE_PAGE_OF}${LINE_SMALLEST_FREE}${LINE_END_WITH}${LINE_OPEN}${LINE_SETTLE}${LINE_MEET}${LINE_SETTLE_ALL}${SWEEP_1}${SWEEP_SWEEP_SESSION}local END_MAX = 256
local lines = {}
local found = sweep_session(ARGV[2], END_MAX, lines)
settle_all(lines)
return { whole(now), found == END_MAX and 'again' or 'ended' }
`

export const EVICT: string = `#!lua flags=allow-oom
${HEADER_1}${HEADER_WHOLE}${HEADER_3}${ERA_RISE}${ERA_2}${ERA_SAVE_HEAD}${ERA_6}${KEYS_1}${KEYS_TELL_WATCHERS}${LINE_1}${LINE_HELD_BACK}${LINE_SESSION_OF}${LINE_4}${LINE_END_OF}${LINE_SET_END}${LINE_SESSION_LIVES}${LINE_PARSE}${LINE_RECORD_OF}${LINE_BEFORE}${LINE_BEHIND}${LINE_PLACE}${LINE_ID_IN}${LINE_TEXT_OF}${LINE_ALONE}${LINE_CLAIM_OF}${LINE_SAVE}${LINE_HAS}${LINE_LIVES}${LINE_TELL}${LINE_SPREAD}${LINE_REMOVE}${LINE_25}${LINE_BURY}${LINE_PAGE_OF}${LINE_SMALLEST_FREE}${LINE_END_WITH}${LINE_OPEN}${LINE_SETTLE}local line, wanted, keep = ARGV[2], ARGV[3], tonumber(ARGV[4])
local function put_words(session, ids)
local box = 'm' .. session
local untl, earlier = string.match(call('HGET', BOOK, box) or '', '^(%d+)(.*)$')
if not untl or tonumber(untl) <= now then earlier = '' end
call('HSET', BOOK, box, whole(now + keep) .. earlier .. ' ' .. table.concat(ids, ' '))
end
local words = {}
local evicted, from = 0, '[' .. before(line)
local over = not spread(line)
while not over do
local members = page_of(line, from, PAGE)
for _, member in ipairs(members) do
local claim = claim_of(id_in(line, member))
if claim and lives(claim) then
if not claim.open then
over = true
break
end
if wanted == '' or wanted == claim.id then
local session = session_of(claim.id)
words[session] = words[session] or {}
table.insert(words[session], claim.id)
tell(claim.id)
remove(claim)
evicted = evicted + 1
end
end
end
if #members < PAGE then break end
from = '(' .. members[#members]
end
for session, ids in pairs(words) do put_words(session, ids) end
settle(line, {})
return { whole(now), 'evicted', evicted }
`

export const INSPECT: string = `#!lua flags=no-writes
${HEADER_1}${HEADER_WHOLE}${HEADER_3}${KEYS_1}${LINE_1}${LINE_HELD_BACK}${LINE_SESSION_OF}${LINE_4}${LINE_END_OF}${LINE_SESSION_LIVES}${LINE_PARSE}${LINE_RECORD_OF}${LINE_BEFORE}${LINE_BEHIND}${LINE_ID_IN}${LINE_TEXT_OF}${LINE_ALONE}${LINE_CLAIM_OF}${LINE_LIVES}${LINE_25}${LINE_ROW}local line, after, limit = ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
local text, rows = text_of(line), {}
if text and text ~= '+' then
local claim = alone(text)
if claim.seq > after and lives(claim) then rows[1] = row(claim) end
return { whole(now), 'page', '', rows }
end
local from = '(' .. before(line) .. string.format('%016.0f', after) .. '~'
local members = call('ZRANGEBYLEX', INDEX, from, behind(line), 'LIMIT', 0, limit)
for _, member in ipairs(members) do
local claim = claim_of(id_in(line, member))
if claim and lives(claim) then rows[#rows + 1] = row(claim) end
end
local last = #members == limit and string.sub(members[limit], #line + 3, #line + 18) or ''
return { whole(now), 'page', last, rows }
`

export const LIST: string = `#!lua flags=no-writes
${HEADER_1}${HEADER_WHOLE}${HEADER_3}${KEYS_1}${LINE_1}${LINE_4}${LINE_PARSE}${LINE_BEFORE}${LINE_PLACE}${LINE_ALONE}${LINE_FIND}${LINE_25}local prefix = 'l' .. ARGV[2]
local page, names = call('HSCAN', BOOK, ARGV[3], 'COUNT', 1000), {}
for at = 1, #page[2], 2 do
local field = page[2][at]
local is_line = #field ~= 25 or string.find(field, ':', 1, true)
if is_line and string.sub(field, 1, #prefix) == prefix then names[#names + 1] = string.sub(field, 2) end
end
return { whole(now), 'names', page[1], names }
`

export const CELL_GET: string = `#!lua flags=no-writes
${HEADER_1}${HEADER_WHOLE}${HEADER_3}local stored = call('HMGET', KEYS[2], 'value', 'version')
return { whole(now), 'cell', stored[1] or '', stored[2] or '', call('SCARD', KEYS[3]) }
`

export const CELL_SET: string = `#!lua
${HEADER_1}${HEADER_WHOLE}${HEADER_3}${ERA_RISE}${ERA_2}${ERA_NEXT_NUMBER}${ERA_SAVE_HEAD}${ERA_SAVE_LAST}${ERA_6}local name, value, not_after, least, wanted = ARGV[2], ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5]), ARGV[6]
local life, keep, maxttl, quarantine = tonumber(ARGV[7]), tonumber(ARGV[8]), tonumber(ARGV[9]), ARGV[10]
local before = call('GET', KEYS[3])
if before then
if before == 'refused' then return { whole(now), 'refused' } end
return { whole(now), 'written', before }
end
if now > not_after then return { whole(now), 'too-late' } end
local outcome = 'refused'
if wanted == '*' or wanted == (call('HGET', KEYS[2], 'version') or '') then
if head.fresh and not head.maxttl then rise(maxttl, quarantine) end
outcome = whole(next_number(least))
save_last()
call('HSET', KEYS[2], 'value', value, 'version', outcome)
if life > 0 then call('PEXPIREAT', KEYS[2], whole(math.ceil((now + life) / 1000))) else call('PERSIST', KEYS[2]) end
call('PUBLISH', ARGV[1], name)
end
call('SET', KEYS[3], outcome, 'PXAT', whole(math.ceil((not_after + keep) / 1000)))
return outcome == 'refused' and { whole(now), outcome } or { whole(now), 'written', outcome }
`

export const CELL_ADD: string = `#!lua
${HEADER_1}${HEADER_WHOLE}${HEADER_3}${ERA_RISE}${ERA_2}${ERA_SAVE_HEAD}${ERA_6}if now > tonumber(ARGV[4]) then return { whole(now), 'too-late', call('SCARD', KEYS[2]) } end
if call('SADD', KEYS[2], ARGV[3]) == 1 then
local ends = math.ceil((now + ARGV[5]) / 1000)
local known = call('PEXPIRETIME', KEYS[2])
if known < ends then call('PEXPIREAT', KEYS[2], whole(ends)) end
call('PUBLISH', ARGV[1], ARGV[2])
end
return { whole(now), 'counted', call('SCARD', KEYS[2]) }
`

export const CELL_REMOVE: string = `#!lua flags=allow-oom
${HEADER_1}${HEADER_WHOLE}${HEADER_3}${ERA_RISE}${ERA_2}${ERA_SAVE_HEAD}${ERA_6}local removed = call('DEL', KEYS[2], KEYS[3])
if removed > 0 then call('PUBLISH', ARGV[1], ARGV[2]) end
return { whole(now), removed > 0 and 'removed' or 'absent' }
`

export const TOUCH: string = `#!lua flags=allow-oom
redis.call('HSET', KEYS[1], 'touched', '1')
return 1
`
