-- header: the moment of this step, and what the bucket's header says on this very server.
-- Moments and lengths are µs; moments are since 1970 by TIME. Whole numbers below 2^53 are exact in Lua, but are
-- written by `whole` only: `..` and tostring would keep 14 digits.

local call = redis.call
local HEAD = KEYS[1]
local LAYOUT = '1'

local clock = call('TIME')
local now = clock[1] * 1000000 + clock[2]

local function whole(number)
  return string.format('%.0f', number)
end

local head = {}

local function read_head()
  local stored = call('HMGET', HEAD, 'layout', 'era', 'print', 'last', 'grace', 'maxttl', 'quarantine')
  if stored[1] and stored[1] ~= LAYOUT then
    error({ err = 'HOLDFAST the store has layout ' .. stored[1] .. ', and this client needs layout ' .. LAYOUT })
  end
  head.era, head.print = stored[2], stored[3]
  head.last = tonumber(stored[4] or 0)
  head.grace = tonumber(stored[5] or 0)
  head.maxttl = tonumber(stored[6] or 0)
  head.quarantine = stored[7] == '1'
  head.born = stored[1] and true or false
end

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
  if head.born then
    call('HSET', HEAD, 'era', era, 'print', print, 'last', whole(head.last), 'grace', whole(head.grace))
  end
end

local function held_back()
  return head.grace > now
end

-- The next number; `save_last` records it.
local function next_number(least)
  head.last = math.max(head.last + 1, least, now)
  if head.last >= 9007199254740992 then error({ err = 'HOLDFAST the next number would not be below 2^53' }) end
  return head.last
end

local function save_last()
  call('HSET', HEAD, 'layout', LAYOUT, 'last', whole(head.last))
end

read_head()
check_era()
