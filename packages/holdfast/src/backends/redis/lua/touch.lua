-- touch: write, and change nothing that anybody reads, so that a WAIT behind it waits for all that was written before,
-- by whomever. Servers newer than Redis 7.0 make it wait only for what its own connection wrote last, and who asks about
-- a claim that somebody else's leave has opened writes nothing.
-- KEYS  1 header   2 ends   3 index   4 book
-- gives 1

redis.call('HSET', KEYS[1], 'touched', '1')
return 1
