"""What the Redis server does by itself, so that nobody comes between its parts: scripts in Lua.

The keys of a store are described in `redis.py`.
"""

from __future__ import annotations

from typing import Final

# One call of a client reads the generations and the records under them: no reader sees a mixture.
READ: Final = """
local found = {}
local live = redis.call('HGETALL', KEYS[1])
for at = 1, #live, 2 do
  if ARGV[1] == '' or string.find(ARGV[1], ' ' .. live[at] .. ' ', 1, true) then
    for start = 3, #ARGV, 1000 do
      local names = {}
      for key = start, math.min(start + 999, #ARGV) do
        names[#names + 1] = ARGV[2] .. live[at + 1] .. ':e:' .. ARGV[key]
      end
      for _, each in ipairs(redis.call('MGET', unpack(names))) do
        if each then found[#found + 1] = each end
      end
    end
  end
end
return found
"""
# Types and keys, in turns, of the entities whose normal forms lie in one of the ranges.
FORMS: Final = """
local found = {}
local live = redis.call('HGETALL', KEYS[1])
for at = 1, #live, 2 do
  local own = ARGV[1] .. live[at + 1]
  for range = 3, #ARGV, 2 do
    local few = redis.call(
      'ZRANGEBYLEX', own .. ':forms', ARGV[range], ARGV[range + 1], 'LIMIT', 0, ARGV[2]
    )
    for _, each in ipairs(few) do
      local key = string.sub(each, string.find(each, '\\0', 1, true) + 1)
      if redis.call('EXISTS', own .. ':e:' .. key) == 1 then
        found[#found + 1] = live[at]
        found[#found + 1] = key
      end
    end
  end
end
return found
"""
# Who no longer has the right to load cannot put anything in its place.
SWAP: Final = """
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return {err = 'TAKEN'} end
local old = redis.call('HGET', KEYS[2], ARGV[2])
redis.call('HSET', KEYS[2], ARGV[2], ARGV[3])
redis.call('HSET', KEYS[3], ARGV[2], ARGV[4])
redis.call('DEL', KEYS[1])
return old or ''
"""
KEEP: Final = """
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return {err = 'TAKEN'} end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])
"""
RELEASE: Final = """
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
return ''
"""
