-- JSON values as text for people.

local M = {}

local short_enough = 60 -- characters that stay on one line
local longest_line = 200 -- characters of what is shown on one line only
local most_lines = 500

local function sorted_keys(object)
  local keys = vim.tbl_keys(object)
  table.sort(keys)
  return keys
end

local function scalar(value)
  return (vim.json.encode(value):gsub('\\/', '/'))
end

-- JSON with its members in order of their names, so that it looks the same each time.
local function encoded(value)
  if type(value) ~= 'table' then return scalar(value) end
  if #value > 0 then return '[' .. table.concat(vim.tbl_map(encoded, value), ', ') .. ']' end
  if vim.tbl_isempty(value) then return scalar(value) end
  local members = vim.tbl_map(function(key) return scalar(key) .. ': ' .. encoded(value[key]) end, sorted_keys(value))
  return '{' .. table.concat(members, ', ') .. '}'
end

-- A value on one line, whole.
function M.whole(value) return encoded(value) end

-- The value of an event, or its members other than the kind; nil where it has neither.
function M.content(event)
  local members = vim.empty_dict()
  for name, value in pairs(event) do
    if name ~= 'kind' then members[name] = value end
  end
  local names = vim.tbl_keys(members)
  if #names == 0 then return nil end
  if #names == 1 and members.value ~= nil then return members.value end
  return members
end

-- An event on one line, whole.
function M.event(event)
  local value = M.content(event)
  return value == nil and tostring(event.kind) or tostring(event.kind) .. '  ' .. encoded(value)
end

-- A value on one line; a long one is cut.
function M.line(value)
  local text = encoded(value)
  if #text <= longest_line then return text end
  return vim.fn.strcharpart(text, 0, longest_line) .. '…'
end

-- Appends the lines of a value with a `label`: on the label's line, or below it and indented.
local function append(lines, label, inner, is_below)
  if is_below then
    table.insert(lines, label)
    label = '  '
  end
  for number, line in ipairs(inner) do
    table.insert(lines, (number == 1 and label or '  ') .. line)
  end
end

-- A value on as many lines as it takes, up to `room`.
local function block(value, room)
  local text = M.line(value)
  if type(value) ~= 'table' or #text <= short_enough then return { text } end
  local lines = {}
  for _, element in ipairs(value) do
    if #lines >= room then break end
    append(lines, '- ', block(element, room - #lines), false)
  end
  for _, key in ipairs(#value > 0 and {} or sorted_keys(value)) do
    if #lines >= room then break end
    local inner = block(value[key], room - #lines)
    append(lines, key .. (#inner > 1 and ':' or ': '), inner, #inner > 1)
  end
  return lines
end

-- A value on as many lines as it takes; what is very long is cut.
function M.lines(value)
  local lines = block(value, most_lines)
  if #lines >= most_lines then table.insert(lines, '…') end
  return lines
end

return M
