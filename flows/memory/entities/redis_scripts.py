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
# One call of a client reads the records of a key and the entities that are related to them. The
# arguments are the types, the prefix, the key, the bounds of the relations and the limit of each
# type; the answer is the records, and in turns the type, the relation and the key of the others.
RELATED: Final = """
local records, named, others = {}, {}, {}
local live = redis.call('HGETALL', KEYS[1])
for at = 1, #live, 2 do
  if ARGV[1] == '' or string.find(ARGV[1], ' ' .. live[at] .. ' ', 1, true) then
    local text = redis.call('GET', ARGV[2] .. live[at + 1] .. ':e:' .. ARGV[3])
    if text then
      records[#records + 1] = text
      named[live[at]] = true
    end
  end
end
for at = 1, #live, 2 do
  local own, count, offset = ARGV[2] .. live[at + 1], 0, 0
  while #records > 0 and count < tonumber(ARGV[6]) do
    local some = redis.call(
      'ZRANGEBYLEX', own .. ':to:' .. ARGV[3], ARGV[4], ARGV[5], 'LIMIT', offset, 1000
    )
    for _, each in ipairs(some) do
      local first = string.find(each, '\\0', 1, true)
      local second = string.find(each, '\\0', first + 1, true)
      local target, key = string.sub(each, first + 1, second - 1), string.sub(each, second + 1)
      if count < tonumber(ARGV[6]) and (target == '' or named[target])
        and redis.call('EXISTS', own .. ':e:' .. key) == 1 then
        count = count + 1
        others[#others + 1] = live[at]
        others[#others + 1] = string.sub(each, 1, first - 1)
        others[#others + 1] = key
      end
    end
    if #some < 1000 then break end
    offset = offset + 1000
  end
end
return {records, others}
"""
# Who no longer has the right to load one of the types cannot put anything in the place of any. The
# first two keys are the types and their hints, the others say who loads; of each of these there are
# four arguments: who, the type, its new generation, its hint.
SWAP: Final = """
for at = 3, #KEYS do
  if redis.call('GET', KEYS[at]) ~= ARGV[(at - 3) * 4 + 1] then
    return {err = 'TAKEN ' .. ARGV[(at - 3) * 4 + 2]}
  end
end
for at = 3, #KEYS do
  local first = (at - 3) * 4
  redis.call('HSET', KEYS[1], ARGV[first + 2], ARGV[first + 3])
  redis.call('HSET', KEYS[2], ARGV[first + 2], ARGV[first + 4])
  redis.call('DEL', KEYS[at])
end
return ''
"""
KEEP: Final = """
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return {err = 'TAKEN'} end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])
"""
RELEASE: Final = """
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
return ''
"""
