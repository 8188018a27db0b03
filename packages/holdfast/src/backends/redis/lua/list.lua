-- list: names of lines that have claims, in the order of their bytes. Changes nothing.
-- KEYS  1 header   2 ends   3 index   4 book
-- ARGV  1 channel of the namespace   2 prefix   3 lower bound among the members of the index   4 at most so many
-- gives {now µs, 'names', {name, …}}

local prefix, from, limit = ARGV[2], ARGV[3], tonumber(ARGV[4])
local names = {}
while #names < limit do
  local member = call('ZRANGEBYLEX', INDEX, from, '[m', 'LIMIT', 0, 1)[1]
  local name = member and string.match(member, '^l(.-)%z')
  if not name or string.sub(name, 1, #prefix) ~= prefix then break end
  names[#names + 1] = name
  from = '(l' .. name .. '\1'
end
return { whole(now), 'names', names }
