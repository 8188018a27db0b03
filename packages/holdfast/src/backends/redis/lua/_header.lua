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

local function held_back()
  return head.grace > now
end

read_head()
