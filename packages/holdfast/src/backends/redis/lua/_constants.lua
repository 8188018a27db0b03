-- constants: what everybody in a namespace must agree on; the first to come fixes it.

-- Nil if it is the same here, else what the caller is told.
local function disagree(maxttl, quarantine, seen)
  local fixed = call('HMGET', HEAD, 'maxttl', 'quarantine')
  if not fixed[1] then
    rise(maxttl, quarantine)
    -- Where sessions are left the header was lost, whatever the caller has seen.
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
