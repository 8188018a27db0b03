-- constants: what everybody in a namespace must agree on; the first to come fixes it.

-- Nil if it is the same here, else what the caller is told.
local function disagree(maxttl, quarantine, seen)
  local fixed = call('HMGET', HEAD, 'maxttl', 'quarantine')
  if not fixed[1] then
    rise(maxttl, quarantine)
    if seen and quarantine == '1' then head.grace = now + maxttl end
    call('HSET', HEAD, 'maxttl', whole(maxttl), 'quarantine', quarantine)
    save_head()
  elseif tonumber(fixed[1]) ~= maxttl or fixed[2] ~= quarantine then
    return { whole(now), 'differs', fixed[1], fixed[2] }
  end
end
