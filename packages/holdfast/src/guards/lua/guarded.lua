-- guarded: let a lease in by its fence, and go on to the caller's work only then. The work is appended to this text.
-- KEYS  1 fences: hash   2… keys of the work
-- ARGV  1 fence, decimal   2 mode: shared | exclusive   3… arguments of the work
-- gives {'stale', the fence that refuses it} | {'damaged', what is kept instead of a fence}; falls through otherwise

local fence, shared = ARGV[1], ARGV[2] == 'shared'
local stored = redis.call('HMGET', KEYS[1], 'writeFence', 'readFence')
local write, read = stored[1] or '0', stored[2] or '0'

-- Fences are longer than the 53 bits of a Lua number, so they stay texts: without leading zeros the longer is the higher.
local function below(one, other)
  if #one ~= #other then return #one < #other end
  return one < other
end

for _, kept in ipairs({ write, read }) do
  if kept ~= '0' and not string.find(kept, '^[1-9]%d*$') then return { 'damaged', kept } end
end

local highest = write
if not shared and below(write, read) then highest = read end
if below(fence, highest) then return { 'stale', highest } end

-- Written only where it changes something, so that entering again touches nothing that somebody watches.
if shared then
  if below(read, fence) then redis.call('HSET', KEYS[1], 'readFence', fence) end
elseif write ~= fence then
  redis.call('HSET', KEYS[1], 'writeFence', fence)
end
