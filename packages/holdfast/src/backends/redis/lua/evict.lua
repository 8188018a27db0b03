-- evict: end the open claim with this id, or every open claim of the line, and put it into its session's mailbox.
-- KEYS  1 header   2 ends   3 index   4 book
-- ARGV  1 channel of the namespace   2 line   3 id (empty: every open claim)   4 how long the word is kept, µs
-- gives {now µs, 'evicted', how many}

--@ header
--@ era
--@ keys
--@ line

local line, wanted, keep = ARGV[2], ARGV[3], tonumber(ARGV[4])

local function put_words(session, ids)
  local box = 'm' .. session
  local untl, earlier = string.match(call('HGET', BOOK, box) or '', '^(%d+)(.*)$')
  if not untl or tonumber(untl) <= now then earlier = '' end
  call('HSET', BOOK, box, whole(now + keep) .. earlier .. ' ' .. table.concat(ids, ' '))
end

local words = {}
local evicted, from = 0, '[' .. before(line)
local over = not spread(line)
while not over do
  local members = page_of(line, from, PAGE)
  for _, member in ipairs(members) do
    local claim = claim_of(id_in(line, member))
    if claim and lives(claim) then
      if not claim.open then
        over = true
        break
      end
      if wanted == '' or wanted == claim.id then
        local session = session_of(claim.id)
        words[session] = words[session] or {}
        table.insert(words[session], claim.id)
        tell(claim.id)
        remove(claim)
        evicted = evicted + 1
      end
    end
  end
  if #members < PAGE then break end
  from = '(' .. members[#members]
end
for session, ids in pairs(words) do put_words(session, ids) end
settle(line, {})
return { whole(now), 'evicted', evicted }
