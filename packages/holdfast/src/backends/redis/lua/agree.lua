-- agree: fix what everybody in the namespace must agree on, or compare. Asked of the first bucket by each client, so
-- that clients that use different buckets do not disagree unnoticed.
-- KEYS  1 header   2 ends
-- ARGV  1 largest ttl µs   2 1: quarantine   3 1: an empty bucket has lost its data
-- gives {now µs, 'agreed'} | {now µs, 'differs', largest ttl µs, quarantine}

--@ header
--@ era
--@ constants

return disagree(tonumber(ARGV[1]), ARGV[2], ARGV[3] == '1') or { whole(now), 'agreed' }
