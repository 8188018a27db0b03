-- sweep: takes away a bounded number of the dead, so that a crash leaves nothing behind for ever. Whoever comes to a
-- bucket does that much of it: with the holds of many short lives nobody ever beats there.

local SESSIONS_MAX, CLAIMS_MAX = 8, 64

-- Claims of a session that has ended, and its entry with the last of them. Gives how many claims were taken away.
local function sweep_session(dead, most, lines)
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

local function sweep()
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
