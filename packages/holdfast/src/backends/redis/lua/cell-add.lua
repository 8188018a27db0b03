-- cell-add: add a member to a cell's set and say how many it has. Safe to repeat.
-- KEYS  1 header   2 set
-- ARGV  1 channel of the namespace   2 name   3 member   4 not after (µs)   5 life µs from the last new member on
-- gives {now µs, 'counted' | 'too-late', members}

--@ header
--@ era

if now > tonumber(ARGV[4]) then return { whole(now), 'too-late', call('SCARD', KEYS[2]) } end
if call('SADD', KEYS[2], ARGV[3]) == 1 then
  local ends = math.ceil((now + ARGV[5]) / 1000)
  local known = call('PEXPIRETIME', KEYS[2])
  if known < ends then call('PEXPIREAT', KEYS[2], whole(ends)) end
  call('PUBLISH', ARGV[1], ARGV[2])
end
return { whole(now), 'counted', call('SCARD', KEYS[2]) }
