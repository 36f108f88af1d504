-- Rows of the finder as lines: whatever is cut off, what is highlighted is what was found.
--
-- Run by `tests/run`, with the number of rows.

local rows = require('view_model.finder.rows')

local characters = { 'a', 'b', ' ', '\t', '/', 'ü', '…', '漢', '𝄞', '\n' }

local function text_of(length)
  local parts, starts, at = {}, {}, 0
  for index = 1, length do
    parts[index] = characters[math.random(#characters)]
    starts[index], at = at, at + #parts[index]
  end
  starts[length + 1] = at
  return table.concat(parts), starts
end

-- Ranges of whole characters, in order.
local function ranges_of(starts)
  local ranges, from = {}, 1
  while from + 1 < #starts and #ranges < 5 do
    from = math.random(from, #starts - 1)
    local to = math.random(from + 1, math.min(#starts, from + 6))
    table.insert(ranges, { start = starts[from], ['end'] = starts[to] })
    from = to + 1
  end
  return ranges
end

local function check(row, text, width)
  local line, marks = rows.line(row, width)
  assert(not line:find('%c'), line)
  assert(pcall(vim.str_utfindex, line), line)
  local plain = text:gsub('%c', ' ')
  local wanted = {}
  for _, range in ipairs(row.matches) do table.insert(wanted, plain:sub(range.start + 1, range['end'])) end
  local found = vim.tbl_filter(function(mark) return mark[3] == 'ViewModelMatch' end, marks)
  for _, mark in ipairs(found) do
    local part, is_known = line:sub(mark[1] + 1, mark[2]), false
    for _, match in ipairs(wanted) do is_known = is_known or match:find(part, 1, true) ~= nil end
    assert(part ~= '' and is_known, vim.inspect({ row = row, line = line, part = part }))
  end
  return line, found
end

return function(count)
  for seed = 1, count do
    math.randomseed(seed)
    local text, starts = text_of(math.random(600))
    local width = math.random(20, 80)
    local ranges = ranges_of(starts)
    local line = check({ path = text, matches = ranges }, text, width)
    assert(vim.fn.strdisplaywidth(line) <= width, line)
    local _, found = check({ path = 'a.txt', line = 7, text = text, matches = ranges }, text, width)
    assert(#ranges == 0 or #found > 0, 'the first match is on screen')
  end
  local match = { start = 2, ['end'] = 3 }
  local line, marks = rows.line({ path = 'a', line = 2, text = '  x = 1', matches = { match } }, 40)
  assert(line == 'a:2: x = 1' and vim.deep_equal(marks[#marks], { 5, 6, 'ViewModelMatch' }), vim.inspect(marks))
  rows.line({ path = 'a', matches = { { start = 90, ['end'] = 95 }, 7, { start = 'x' } } }, 40)
  rows.line({ path = 'a', text = 'b', matches = 'c' }, 1)
end
