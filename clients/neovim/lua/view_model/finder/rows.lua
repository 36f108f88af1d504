-- A row of the finder as a line of a picker: its text, and where its highlights are. Positions are bytes, as the finder
-- tells them.

local M = {}

local longest = 400 -- bytes of a line of a file; more are never on screen

-- The first byte of the character that the byte at `offset` (from 0) belongs to.
local function start_of_character(text, offset)
  while offset > 0 and offset < #text and text:byte(offset + 1) >= 0x80 and text:byte(offset + 1) < 0xC0 do
    offset = offset - 1
  end
  return offset
end

-- The part of a text from byte `from` to before `stop`, with marks for what is left out, and the ranges that are in it.
local function part(text, from, stop, ranges)
  from, stop = start_of_character(text, from), start_of_character(text, stop)
  local before, after = from > 0 and '…' or '', stop < #text and '…' or ''
  local shown = {}
  for _, range in ipairs(ranges) do
    local first, last = math.max(range.start, from), math.min(range['end'], stop)
    if first < last then table.insert(shown, { first - from + #before, last - from + #before }) end
  end
  return before .. text:sub(from + 1, stop) .. after, shown
end

-- As much of the end of a text as there is room for: of a path the end says more.
local function fit_end(text, width, ranges)
  local from = 0
  if vim.fn.strdisplaywidth(text) > width then
    from = start_of_character(text, math.max(0, #text - 4 * width))
    while from < #text and vim.fn.strdisplaywidth(text:sub(from + 1)) >= width do
      repeat from = from + 1 until start_of_character(text, from) == from
    end
  end
  return part(text, from, #text, ranges)
end

local function moved(ranges, offset)
  return vim.tbl_map(function(range)
    return { start = range.start + offset, ['end'] = range['end'] + offset }
  end, ranges)
end

-- A line without its indentation, around its first match where that would be out of sight.
local function fit_match(text, width, ranges)
  local first = ranges[1]
  local indentation = math.min(#text:match('^%s*'), first and first.start or #text)
  text, ranges = text:sub(indentation + 1), moved(ranges, -indentation)
  local from = 0
  if first then
    local stop = math.min(ranges[1]['end'], ranges[1].start + longest)
    local is_near = stop <= longest and vim.fn.strdisplaywidth(text:sub(1, stop)) <= width
    if not is_near then from = math.max(0, ranges[1].start - math.floor(width / 3)) end
  end
  return part(text, from, math.min(#text, from + longest), ranges)
end

local function plain(text) return (text:gsub('%c', ' ')) end

-- The ranges of a row that can be; a server may say anything.
local function ranges_of(row)
  return vim.tbl_filter(function(range)
    return type(range) == 'table' and type(range.start) == 'number' and type(range['end']) == 'number'
  end, type(row.matches) == 'table' and row.matches or {})
end

local function add_ranges(marks, offset, ranges)
  for _, range in ipairs(ranges) do
    table.insert(marks, { offset + range[1], offset + range[2], 'ViewModelMatch' })
  end
end

-- The text of a row, at most about `width` columns of it, and its marks: {first byte, the one after the last, group}.
function M.line(row, width)
  local marks = {}
  if type(row.text) ~= 'string' then
    local text, ranges = fit_end(plain(row.path), width, ranges_of(row))
    local folder = text:match('^.*/')
    if folder then table.insert(marks, { 0, #folder, 'ViewModelFolder' }) end
    add_ranges(marks, 0, ranges)
    return text, marks
  end
  local path = fit_end(plain(row.path), math.floor(width / 2), {})
  local number = (':%d: '):format(row.line or 0)
  local left = math.max(1, width - vim.fn.strdisplaywidth(path .. number))
  local text, ranges = fit_match(plain(row.text), left, ranges_of(row))
  table.insert(marks, { 0, #path, 'ViewModelFolder' })
  table.insert(marks, { #path, #path + #number, 'ViewModelKeys' })
  add_ranges(marks, #path + #number, ranges)
  return path .. number .. text, marks
end

return M
