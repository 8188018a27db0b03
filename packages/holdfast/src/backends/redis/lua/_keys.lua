-- keys: of a bucket's claims, and where changes are told that concern nobody's claim.

local ENDS, INDEX, BOOK = KEYS[2], KEYS[3], KEYS[4]
local NEWS = ARGV[1]
