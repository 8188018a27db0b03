-- cell-set: write a cell, if it has the wanted version. Safe to repeat: an op id that was seen answers what it did.
-- KEYS  1 header   2 cell: hash   3 op: string
-- ARGV  1 channel of the namespace   2 name   3 value   4 not after (µs)   5 least number   6 wanted version ('*': whatever
--       is there, '': it must not exist)   7 life µs (0: for ever)   8 how long past not-after an op is remembered, µs
--       9 largest ttl µs   10 1: quarantine
-- gives {now µs, 'written', version} | {now µs, 'refused' | 'too-late'}

--@ header
--@ era

local name, value, not_after, least, wanted = ARGV[2], ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5]), ARGV[6]
local life, keep, maxttl, quarantine = tonumber(ARGV[7]), tonumber(ARGV[8]), tonumber(ARGV[9]), ARGV[10]

local before = call('GET', KEYS[3])
if before then
  if before == 'refused' then return { whole(now), 'refused' } end
  return { whole(now), 'written', before }
end
if now > not_after then return { whole(now), 'too-late' } end

local outcome = 'refused'
if wanted == '*' or wanted == (call('HGET', KEYS[2], 'version') or '') then
  if head.fresh and not head.maxttl then rise(maxttl, quarantine) end
  outcome = whole(next_number(least))
  save_last()
  call('HSET', KEYS[2], 'value', value, 'version', outcome)
  if life > 0 then call('PEXPIREAT', KEYS[2], whole(math.ceil((now + life) / 1000))) else call('PERSIST', KEYS[2]) end
  call('PUBLISH', ARGV[1], name)
end
call('SET', KEYS[3], outcome, 'PXAT', whole(math.ceil((not_after + keep) / 1000)))
return outcome == 'refused' and { whole(now), outcome } or { whole(now), 'written', outcome }
