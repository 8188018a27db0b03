-- era: a server that has not written the header before may have lost data, and numbers rise above what was lost. An era
-- ends with a restart or a failover: then the server has another run id.

-- Above every number that may have been lost. Where grants are held back, the namespace may be that of a quorum, whose
-- numbers are proposed up to 5 s further ahead.
local function rise(maxttl, quarantine)
  head.last = math.max(head.last, now + maxttl + (quarantine == '1' and 5000000 or 0))
end

if head.print ~= print then
  local era = string.match(call('INFO', 'server'), 'run_id:(%x+)')
  if head.maxttl and head.era ~= era then
    local maxttl, quarantine = tonumber(head.maxttl), call('HGET', HEAD, 'quarantine')
    rise(maxttl, quarantine)
    if quarantine == '1' then head.grace = now + maxttl end
  end
  head.era, head.fresh = era, true
end

-- The next number; `save_last` records it.
local function next_number(least)
  head.last = math.max(head.last + 1, least, now)
  if head.last >= 9007199254740992 then error({ err = 'HOLDFAST the next number would not be below 2^53' }) end
  return head.last
end

-- What another server wrote is ours from now on. Last, so that a script that fails before has changed nothing.
local function save_head()
  call('HSET', HEAD, 'layout', '1', 'era', head.era, 'print', print, 'last', whole(head.last), 'grace', whole(head.grace))
end

local function save_last()
  if head.fresh then save_head() else call('HSET', HEAD, 'last', whole(head.last)) end
end

-- Where only cells were written the header does not say how far numbers must rise; whoever writes the next one does.
if head.fresh and head.maxttl then save_head() end
