-- Lists as sections of a view's lines. Each has a heading and a window of as many rows as there is room for; no other
-- rows exist in the buffer.

local forms = require('view_model.forms')
local json_text = require('view_model.json_text')
local layout = require('view_model.layout')

local M = {}

local least_height = 5 -- rows of a list, where it has as many

-- The names of the lists of a view's contract, as it orders them.
function M.names(view)
  local lists = view.description and view.description.lists
  if not lists then return {} end
  local place = {} -- of the names, among the events
  for number, kind in ipairs(forms.kinds(view.description.viewModelEvent, view.description['$defs'] or {})) do
    place[kind] = number
  end
  local names = vim.tbl_keys(lists)
  table.sort(names, function(one, other)
    if place[one] == place[other] then return one < other end
    return (place[one] or math.huge) < (place[other] or math.huge)
  end)
  return names
end

-- How many rows of each list are shown, by their names: long lists get what short ones leave.
local function heights(lists, used)
  local window = layout.window_of(lists[1].view)
  local left = (window and vim.api.nvim_win_get_height(window) or 0) - layout.head_height - used - 2 * #lists
  local by_length = vim.list_slice(lists)
  table.sort(by_length, function(one, other) return one.count < other.count end)
  local result = {}
  for place, list in ipairs(by_length) do
    local share = math.max(least_height, math.floor(left / (#lists - place + 1)))
    result[list.name] = math.min(list.count, share)
    left = left - result[list.name]
  end
  return result
end

local function heading(list, height, is_entered)
  local first = list.top.index
  local where = list.count == 0 and 'empty' or ('%d–%d of %d'):format(first + 1, first + height, list.count)
  local help = is_entered and 'Enter send an event with the row' or 'Tab go there'
  return {
    { list.name, 'ViewModelTitle' }, { '  ' .. where },
    { list.count == 0 and '' or '   ' .. help, 'ViewModelKeys' },
  }
end

local function append_section(lines, list, height, line_of)
  local view = list.view
  list:settle(height)
  list:show(list.top.index, layout.window_of(view) and height or 0)
  if #lines > 0 then table.insert(lines, '') end
  table.insert(lines, heading(list, height, view.section == list.name))
  table.insert(view.sections, { list = list, first = list.top.index, from = #lines + 1, height = height })
  local place = ('%%%dd  '):format(#tostring(list.count))
  for index = list.top.index, list.top.index + height - 1 do
    local row = list:row(index)
    table.insert(lines, { { place:format(index + 1), 'ViewModelKeys' }, { row == nil and '…' or line_of(row, index) } })
  end
end

-- Appends the lists of these names to the lines of a view. `line_of(row, index)` is the text of a row, unless it is to
-- be its JSON. Where this is called, those of
-- `view_model.section_keys` belong to the view's keys.
function M.append(lines, view, names, line_of)
  view.sections = {}
  if #names == 0 then return end
  local lists = vim.tbl_map(function(name) return view:list(name) end, names)
  local by_name = heights(lists, #lines)
  for _, list in ipairs(lists) do append_section(lines, list, by_name[list.name], line_of or json_text.line) end
end

-- The section with a line, and the index of the row that was painted there; nil where there is none. Lines count from 1
-- below the head.
local function section_at(view, line)
  for _, section in ipairs(view.sections) do
    local offset = line - section.from
    if offset >= 0 and offset < section.height then return section, section.first + offset end
  end
end

-- The cursor has come to a line.
function M.moved(view, line)
  local section, index = section_at(view, line)
  local name = section and section.list.name
  local is_new = name ~= view.section
  view.section = name
  -- Before the list is painted again, the line may not be that of the row.
  local is_row_known = section and (is_new or not view.is_paint_requested)
  if is_row_known and index ~= section.list.cursor.index then section.list:move(section.list.cursor, index) end
  if is_new then view.lists.on_change() end
  return section
end

-- The list and the index of the row at a line; nil where there is none.
function M.row_at(view, line)
  local section = M.moved(view, line)
  if section then return section.list, section.list.cursor.index end
end

-- Puts the cursor to where the row is that the user is at, once that is painted.
function M.place_cursor(view)
  local window = layout.window_of(view)
  for _, section in ipairs(window and view.sections or {}) do
    if section.list.name == view.section and section.height > 0 then
      local line = layout.head_height + section.from + section.list.cursor.index - section.first
      local old = vim.api.nvim_win_get_cursor(window)
      if old[1] ~= line then vim.api.nvim_win_set_cursor(window, { line, old[2] }) end
    end
  end
end

return M
