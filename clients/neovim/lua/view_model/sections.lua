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

-- How many lines a view has for what is below its head. Out of sight, these are as many as before.
local function room(view)
  local window = layout.window_of(view)
  if window then view.height = vim.api.nvim_win_get_height(window) end
  return (view.height or 0) - layout.head_height
end

-- How many rows of each list are shown, by their names: long lists get what short ones leave.
local function heights(lists, used)
  local left = room(lists[1].view) - used - 2 * #lists
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

-- Appends the rows of a list that is settled, and asks for them. `line_of(row, index)` is the line of one.
local function append_rows(lines, list, height, line_of)
  local view, top = list.view, list.top.index
  list:show(top, layout.window_of(view) and height or 0)
  table.insert(view.sections, { list = list, first = top, from = #lines + 1, height = height })
  for index = top, top + height - 1 do table.insert(lines, line_of(list:row(index), index)) end
end

local function append_section(lines, list, height, text_of)
  list:settle(height)
  if #lines > 0 then table.insert(lines, '') end
  table.insert(lines, heading(list, height, list.view.section == list.name))
  local place = ('%%%dd  '):format(#tostring(list.count))
  append_rows(lines, list, height, function(row, index)
    return { { place:format(index + 1), 'ViewModelKeys' }, { row == nil and '…' or text_of(row, index) } }
  end)
end

-- Appends the lists of these names to the lines of a view. `line_of(row, index)` is the text of a row, unless it is to
-- be its JSON. Where this is called, those of `view_model.section_keys` belong to the view's keys.
function M.append(lines, view, names, line_of)
  view.sections = {}
  if #names == 0 then return end
  local lists = vim.tbl_map(function(name) return view:list(name) end, names)
  local by_name = heights(lists, #lines)
  for _, list in ipairs(lists) do append_section(lines, list, by_name[list.name], line_of or json_text.line) end
end

-- Appends the only list that a view shows, without a heading and numbers: as many rows as there is room for.
-- `line_of(row, index)` is the line of a row, as those of the view.
function M.append_alone(lines, view, name, line_of)
  local list = view:list(name)
  local height = math.min(list.count, math.max(least_height, room(view) - #lines - view.lines_below))
  view.sections = { is_alone = true }
  list:settle(height)
  append_rows(lines, list, height, function(row, index)
    return row == nil and { { '…', 'ViewModelKeys' } } or line_of(row, index)
  end)
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

-- Takes the cursor into the only list that a view shows, and returns its section; nil where there are others, or where
-- it has no row.
function M.enter(view)
  local section = view.sections[1]
  if not view.sections.is_alone or section.height == 0 then return nil end
  view.section = section.list.name
  return section
end

-- A window that has room for all lines shows them all.
local function show_head(window, buffer)
  if vim.api.nvim_buf_line_count(buffer) > vim.api.nvim_win_get_height(window) then return end
  vim.api.nvim_win_call(window, function()
    if vim.fn.line('w0') > 1 then vim.fn.winrestview({ topline = 1 }) end
  end)
end

-- Puts the cursor to where the row is that the user is at, once that is painted; where a view shows nothing but a list,
-- in all of its windows.
function M.place_cursor(view)
  local windows = view.sections.is_alone and vim.fn.win_findbuf(view.buffer) or { layout.window_of(view) }
  for _, section in ipairs(view.sections) do
    if section.list.name == view.section and section.height > 0 then
      local line = layout.head_height + section.from + section.list.cursor.index - section.first
      for _, window in ipairs(windows) do
        local old = vim.api.nvim_win_get_cursor(window)
        if old[1] ~= line then vim.api.nvim_win_set_cursor(window, { line, old[2] }) end
        if view.sections.is_alone then show_head(window, view.buffer) end
      end
    end
  end
end

return M
