-- header: the moment of this step, and what the bucket's header says on this very server.
-- Moments and lengths are µs; moments are since 1970 by TIME. Whole numbers below 2^53 are exact in Lua, but are
-- written by `whole` only: `..` and tostring would keep 14 digits.

local call = redis.call
local HEAD = KEYS[1]

local clock = call('TIME')
local now = clock[1] * 1000000 + clock[2]
local moment = clock[1] .. string.sub('00000' .. clock[2], -6)

-- Most numbers that a step writes are its own moment, whose text is at hand: formatting it anew was a measurable cost.
local function whole(number)
  if number == now then return moment end
  return string.format('%.0f', number)
end

-- The address of a table of this server's interpreter tells whether it is the one that wrote the header, and INFO would
-- be dear. It rests on the random places that systems give to programs: where that is switched off, a restart is not
-- noticed. The layout is part of it: what another one wrote is looked at closely.
local print = tostring(redis) .. ' 1'
local stored = call('HMGET', HEAD, 'print', 'last', 'grace', 'era', 'maxttl')
local head = {
  print = stored[1], last = tonumber(stored[2] or 0), grace = tonumber(stored[3] or 0), era = stored[4],
  -- Written with the first session. Sessions without it have lost their header, and with it the last number: they are
  -- told that they are gone, for whoever opens another makes numbers rise.
  maxttl = stored[5],
}
if head.print ~= print then
  local layout = call('HGET', HEAD, 'layout')
  if layout and layout ~= '1' then
    error({ err = 'HOLDFAST the store has layout ' .. layout .. ', and this client needs layout 1' })
  end
end
