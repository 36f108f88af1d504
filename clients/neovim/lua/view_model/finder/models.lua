-- What the picker knows of the examples' finder, and of its preview: types of views, see `view_model.views`.

local M = {}

local function no_lines() return {} end

local function name_of(view) return view.name end

local finder = {}

-- `has_results` and `has_matches` are whether there were such events since the newest query: what is here is that of
-- the query before until then.
local function new_finder()
  return { query = { text = '', mode = 'files' }, has_results = false, has_matches = false }
end

function finder.query(model, event)
  model.query, model.has_results, model.has_matches = event, false, false
end

function finder.scanning(model, event) model.scanning = event end

function finder.matches(model, event) model.matches, model.has_matches = event, true end

function finder.results(model) model.has_results = true end

function finder.accepted(model, event) model.accepted = event end

function finder.failed(model, event) model.failed = event.message end

function finder.note(model, event) model.note = event.message end

local preview = {}

local function new_preview() return {} end

function preview.file(model, event) model.file = event end

function preview.note(model, event) model.note = event.message end

local function type_of(new, handlers, members)
  return vim.tbl_extend('force', {
    new = new,
    apply = function(model, event)
      if handlers[event.kind] then handlers[event.kind](model, event) end
    end,
    title = name_of,
    lines = no_lines,
    keys = {},
  }, members)
end

M.preview = type_of(new_preview, preview, { model_type = 'Examples.FinderPreviewViewModel' })

M.finder = type_of(new_finder, finder, {
  model_type = 'Examples.FinderViewModel',
  children = { finderPreview = M.preview },
})

return M
