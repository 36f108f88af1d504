-- One order, with a note to write.

local ask = require('view_model.ask')

local M = {}

function M.new() return { title = 'Details', is_cancelled = false, note = '', is_saved = true } end

local apply = {
  title = function(model, event) model.title = event.value end,
  cancelled = function(model, event) model.is_cancelled = event.value end,
  note = function(model, event) model.note, model.is_saved = event.value, event.isSaved end,
}

function M.apply(model, event)
  if apply[event.kind] then apply[event.kind](model, event) end
end

function M.title(view) return view.model.title end

function M.lines(view)
  local model = view.model
  return {
    { { 'Cancelled: ', 'ViewModelLabel' }, model.is_cancelled and { 'yes', 'ViewModelMark' } or { 'no' } },
    {
      { 'Note:      ', 'ViewModelLabel' }, { (model.note:gsub('\n', ' ')) },
      { model.is_saved and '' or '  (not saved)', 'ViewModelMark' },
    },
  }
end

M.keys = {
  { 'c', 'cancel the order', function(view) view:send({ kind = 'cancelOrder' }) end },
  { 'e', 'edit the note', function(view)
    local unsent = view:oldest_unsent('editNote')
    local text = ask.text('Note: ', unsent and unsent.value or view.model.note)
    if text then view:send_typed({ kind = 'editNote', value = text }) end
  end },
  { 's', 'save it', function(view) view:send({ kind = 'saveNote' }) end },
}

return M
