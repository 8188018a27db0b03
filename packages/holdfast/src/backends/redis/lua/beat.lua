-- beat: set a live session's end to now + ttl, list a page of its claims, and take away a bounded number of the dead.
-- KEYS  1 header   2 ends   3 index   4 book
-- ARGV  1 channel of the namespace   2 session   3 ttl µs   4 list claims with an id above this   5 at most so many
--       6 the era in which the session was last confirmed
-- gives {now µs, 'session-gone'} | {now µs, 'moved', era}: nothing was extended |
--       {now µs, 'beaten', {id, seq, line, contended, …}, {revoked id, …}}

--@ header
--@ era
--@ keys
--@ line
--@ sweep

local session, ttl, after, limit, era = ARGV[2], tonumber(ARGV[3]), ARGV[4], tonumber(ARGV[5]), ARGV[6]

local function audit()
  local rows = {}
  -- Behind the id is the line's name, in which no byte is 255.
  local from = after == '' and '[o' .. session .. '.' or '(o' .. after .. '\255'
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

-- The mailbox: every beat repeats what is in it for so long that who had no answer to any of them has lost the session.
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
  -- It is dead for good. Where its entry was lost, no sweep would come to what it has left.
  if end_of(session) == 0 then
    local lines = {}
    sweep_session(session, CLAIMS_MAX, lines)
    settle_all(lines)
  end
  return { whole(now), 'session-gone' }
end
if era ~= '' and era ~= head.era then return { whole(now), 'moved', head.era } end
-- Never less than before: a beat still under way must not shorten a detached claim that opened meanwhile.
set_end(session, math.max(end_of(session), now + ttl))
sweep()
return { whole(now), 'beaten', audit(), mail() }
