-- ask: what claims of one session are now. Own session and own claim are looked at first; the line of a closed claim is
-- settled in the same step.
-- KEYS  1 header   2 ends   3 index   4 book
-- ARGV  1 channel of the namespace   2 session   then for each claim: id, line
-- gives {now µs, 'session-gone'} | {now µs, 'told', standing of each claim: open | closed | gone | again}

--@ header
--@ era
--@ keys
--@ line

local session = ARGV[2]
if not (head.maxttl and session_lives(session)) then return { whole(now), 'session-gone' } end

local asked = {}
for at = 3, #ARGV, 2 do asked[ARGV[at]] = true end

local standings = {}
for at = 3, #ARGV, 2 do
  local claim = find(ARGV[at], ARGV[at + 1])
  local own = claim and session_of(claim.id) == session and lives(claim)
  standings[#standings + 1] = own and settled_standing(claim, asked) or { 'gone' }
end
return { whole(now), 'told', standings }
