-- inspect: a page of a line's live claims, in order. Changes nothing.
-- KEYS  1 header   2 ends   3 index   4 book
-- ARGV  1 channel of the namespace   2 line   3 claims with a number above this   4 how many places to look at
-- gives {now µs, 'page', last number looked at ('' at the end of the line), {{id, record, who, notes}, …}}

--@ header
--@ keys
--@ line

local line, after, limit = ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
local text, rows = text_of(line), {}
if text and text ~= '+' then
  local claim = alone(text)
  if claim.seq > after and lives(claim) then rows[1] = row(claim) end
  return { whole(now), 'page', '', rows }
end

local from = '(' .. before(line) .. string.format('%016.0f', after) .. '~'
local members = call('ZRANGEBYLEX', INDEX, from, behind(line), 'LIMIT', 0, limit)
for _, member in ipairs(members) do
  local claim = claim_of(id_in(line, member))
  if claim and lives(claim) then rows[#rows + 1] = row(claim) end
end
local last = #members == limit and string.sub(members[limit], #line + 3, #line + 18) or ''
return { whole(now), 'page', last, rows }
