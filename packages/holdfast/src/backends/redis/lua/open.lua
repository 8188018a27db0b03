-- open: register a session, and the bucket if it is new, and take away a bounded number of the dead. Repeating it never
-- brings a session back that is past.
-- KEYS  1 header   2 ends   3 index   4 book
-- ARGV  1 channel of the namespace   2 session   3 ttl µs   4 channel, pid and host of its process, for others
--       5 1: this client had an answer from the namespace before   6 least number   7 largest ttl µs   8 1: quarantine
-- gives {now µs, 'opened', era, for how long grants are held back µs} | {now µs, 'differs', largest ttl µs, quarantine}

--@ header
--@ era
--@ constants
--@ keys
--@ line
--@ sweep

local session, ttl, who, seen = ARGV[2], tonumber(ARGV[3]), ARGV[4], ARGV[5] == '1'
local least, maxttl, quarantine = tonumber(ARGV[6]), tonumber(ARGV[7]), ARGV[8]

local difference = disagree(maxttl, quarantine, seen)
if difference then return difference end
head.last = math.max(head.last, least - 1)
save_last()

local known = call('ZSCORE', ENDS, session)
if not known then
  call('HSET', BOOK, 'w' .. session, who)
  set_end(session, now + ttl)
elseif tonumber(known) > now then
  set_end(session, math.max(tonumber(known), now + ttl))
end
sweep()
return { whole(now), 'opened', head.era, held_back() and whole(head.grace - now) or '0' }
