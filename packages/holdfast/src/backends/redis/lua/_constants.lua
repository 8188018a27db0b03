-- constants: what everybody in a namespace must agree on; the first to come fixes it.

-- Nil if it is the same here, else what the caller is told.
local function disagree(maxttl, quarantine, seen)
  if head.maxttl == 0 then
    raise_last(maxttl)
    if seen and quarantine then head.grace = now + maxttl end
    head.maxttl, head.quarantine = maxttl, quarantine
    call('HSET', HEAD, 'layout', LAYOUT, 'era', head.era, 'print', head.print, 'grace', whole(head.grace), 'maxttl',
      whole(maxttl), 'quarantine', quarantine and 1 or 0, 'last', whole(head.last))
  elseif head.maxttl ~= maxttl or head.quarantine ~= quarantine then
    return { whole(now), 'differs', whole(head.maxttl), head.quarantine and 1 or 0 }
  end
end
