-- Any view model: the newest event of each kind, its lists, the last events, and every view event to send.

local forms = require('view_model.forms')
local json_text = require('view_model.json_text')
local section_keys = require('view_model.section_keys')
local sections = require('view_model.sections')

local M = {}

local kept_events = 10

function M.new() return { kinds = {}, newest = {}, last = {} } end

function M.apply(model, event)
  if not model.newest[event.kind] then table.insert(model.kinds, event.kind) end
  model.newest[event.kind] = event
  table.insert(model.last, 1, event)
  model.last[kept_events + 1] = nil
end

function M.title(view) return view.name end

-- So that one can be asked for an event while there is no connection.
M.wants_description = true

local function append_newest(lines, event)
  local value = json_text.content(event)
  local text = value == nil and {} or json_text.lines(value)
  table.insert(lines, { { event.kind, 'ViewModelLabel' }, { #text == 1 and '  ' .. text[1] or '' } })
  if #text == 1 then return end
  for _, line in ipairs(text) do table.insert(lines, '  ' .. line) end
end

-- Lists are told by events, too, which are shown by the lists.
local function is_of_list(view, kind)
  return view.description and view.description.lists and view.description.lists[kind] ~= nil
end

function M.lines(view)
  local lines = {}
  for _, kind in ipairs(view.model.kinds) do
    if not is_of_list(view, kind) then append_newest(lines, view.model.newest[kind]) end
  end
  sections.append(lines, view, sections.names(view))
  local last = vim.tbl_filter(function(event) return not is_of_list(view, event.kind) end, view.model.last)
  if #lines == 0 then return { 'No events yet.' } end
  if #last == 0 then return lines end
  table.insert(lines, '')
  table.insert(lines, { { 'Last events', 'ViewModelTitle' } })
  for _, event in ipairs(last) do
    local value = json_text.content(event)
    table.insert(lines, { { event.kind, 'ViewModelLabel' }, { value == nil and '' or '  ' .. json_text.line(value) } })
  end
  return lines
end

local function send(view)
  forms.ask_event(view, function(event) view:send_typed(event) end)
end

-- Gives an event the index that its row has by now, as others may have come and gone while the user was asked. Returns
-- false where the row isn't here any more.
local function set_index(event, list, row)
  local id = list:id_of(row)
  if event.index == nil or id == nil then return true end
  event.index = list:index_of(id)
  return event.index ~= nil
end

-- Sends an event that is filled with the index of the row at a line, and with its identity.
local function send_with_row(view, line)
  local list, index = sections.row_at(view, line)
  if not list then return send(view) end
  local row, member = list:row(index), list:id_member()
  if row == nil then return view:say("the row isn't here yet") end
  local filled = { index = index }
  if member and type(row) == 'table' then filled[member] = row[member] end
  forms.ask_event(view, function(event)
    if not set_index(event, list, row) then return view:say("not sent, as the row isn't here any more") end
    view:send_typed(event)
  end, filled)
end

M.keys = vim.list_extend({
  { 's', 'send an event', send },
  { '<CR>', 'the same', send_with_row },
}, section_keys)

return M
