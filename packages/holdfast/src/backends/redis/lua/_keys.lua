-- keys: of a bucket's claims, and where changes are told that concern nobody's claim.

local ENDS, INDEX, BOOK = KEYS[2], KEYS[3], KEYS[4]
local NEWS = ARGV[1]

-- Lines that are watched by who does not stand in them. One byte rules most lines out, without a search.
local function tell_watchers(line)
  local kind = string.byte(line)
  if kind == 101 and string.find(line, '^election:') or kind == 98 and string.find(line, '^barrier:') then
    call('PUBLISH', NEWS, line)
  end
end
