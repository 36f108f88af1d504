-- Any view model: the newest event of each kind, the last events, and every view event to send.

local forms = require('view_model.forms')
local json_text = require('view_model.json_text')

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

function M.lines(view)
  local lines = {}
  for _, kind in ipairs(view.model.kinds) do append_newest(lines, view.model.newest[kind]) end
  if #view.model.last == 0 then return { 'No events yet.' } end
  table.insert(lines, '')
  table.insert(lines, { { 'Last events', 'ViewModelTitle' } })
  for _, event in ipairs(view.model.last) do
    local value = json_text.content(event)
    table.insert(lines, { { event.kind, 'ViewModelLabel' }, { value == nil and '' or '  ' .. json_text.line(value) } })
  end
  return lines
end

local function send(view)
  forms.ask_event(view, function(event) view:send_typed(event) end)
end

M.keys = {
  { 's', 'send an event', send },
  { '<CR>', 'the same', send },
}

return M
