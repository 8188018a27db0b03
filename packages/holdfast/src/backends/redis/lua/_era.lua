-- era: a server that has not written the header before may have lost data, and numbers rise above what was lost.

-- The birth of the store, and each noticed loss: numbers rise above all that may have been given out.
local function raise_last(maxttl)
  head.last = math.max(head.last, now + maxttl)
end

-- INFO is dear, and the address of a table of this server's interpreter is as good as its run id for telling that it
-- is the server that wrote the header; only where it differs is the run id compared. Its era is over after a restart
-- and after a failover, and then data may have been lost.
local function check_era()
  local print = tostring(redis)
  if head.print == print then return end
  local era = string.match(call('INFO', 'server'), 'run_id:(%x+)')
  if head.era and head.era ~= era then
    raise_last(head.maxttl)
    if head.quarantine then head.grace = now + head.maxttl end
  end
  head.era, head.print = era, print
  head.fresh = not head.born
  if head.born then
    call('HSET', HEAD, 'era', era, 'print', print, 'last', whole(head.last), 'grace', whole(head.grace))
  end
end

-- The next number; `save_last` records it.
local function next_number(least)
  head.last = math.max(head.last + 1, least, now)
  if head.last >= 9007199254740992 then error({ err = 'HOLDFAST the next number would not be below 2^53' }) end
  return head.last
end

local function save_last()
  call('HSET', HEAD, 'layout', LAYOUT, 'last', whole(head.last))
  if head.fresh then call('HSET', HEAD, 'era', head.era, 'print', head.print) end
end

check_era()
