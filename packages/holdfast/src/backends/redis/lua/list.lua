-- list: names of lines, in no order; those that are there all the time are given at least once. Changes nothing.
-- KEYS  1 header   2 ends   3 index   4 book
-- ARGV  1 channel of the namespace   2 prefix   3 cursor ('0' at first)
-- gives {now µs, 'names', next cursor ('0' at the end), {name, …}}

--@ header
--@ keys
--@ line

local prefix = 'l' .. ARGV[2]
local page, names = call('HSCAN', BOOK, ARGV[3], 'COUNT', 1000), {}
for at = 1, #page[2], 2 do
  local field = page[2][at]
  -- A claim's id may begin with 'l' as well, and has 25 characters, none of which is a colon.
  local is_line = #field ~= 25 or string.find(field, ':', 1, true)
  if is_line and string.sub(field, 1, #prefix) == prefix then names[#names + 1] = string.sub(field, 2) end
end
return { whole(now), 'names', page[1], names }
