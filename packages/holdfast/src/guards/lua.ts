/** Generated from the files in lua/ by `npm run lua`. Long because all verbs and what they share is here. */

export const GUARDED: string = `#!lua
local fence, shared = ARGV[1], ARGV[2] == 'shared'
local stored = redis.call('HMGET', KEYS[1], 'writeFence', 'readFence')
local write, read = stored[1] or '0', stored[2] or '0'
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
if shared then
if below(read, fence) then redis.call('HSET', KEYS[1], 'readFence', fence) end
elseif write ~= fence then
redis.call('HSET', KEYS[1], 'writeFence', fence)
end
`
