-- The finder as a source of telescope.nvim: its rows in the order in which the server ranks them, its preview, and its
-- decision which file is meant.

local Pane = require('view_model.finder.pane')
local Search = require('view_model.finder.search')
local opener = require('view_model.finder.opener')
local preview = require('view_model.finder.preview')
local rows = require('view_model.finder.rows')
local words = require('view_model.finder.words')

local most_rows = 250 -- as many as Telescope keeps in order; more are found by more text

local ways = { default = 'edit', horizontal = 'split', vertical = 'vsplit', tab = 'tab' }

local Source = {}
Source.__index = Source

-- What Telescope calls for each text: `finder(text, take, done)`, where `take(entry)` adds a row, and `done()` says
-- that all are there: it takes none after that.
local function finder_of(source)
  return setmetatable({ close = function() source:close() end }, {
    __call = function(_, text, take, done) source:ask(text, take, done) end,
  })
end

function Source:ask(text, take, done)
  self.query = { take = take, done = done, given = 0, is_done = false }
  self.search:ask(text, self.mode)
  self:changed()
end

local function display(entry, picker)
  local width = vim.api.nvim_win_get_width(picker.results_win) - #(picker.entry_prefix or '')
  local text, marks = rows.line(entry.value, width)
  return text, vim.tbl_map(function(mark) return { { mark[1], mark[2] }, mark[3] } end, marks)
end

local function entry_of(row, index, root)
  local first = type(row.matches) == 'table' and row.matches[1]
  return {
    value = row, ordinal = row.id, display = display, row_index = index,
    filename = root and root .. '/' .. row.path or row.path, -- for lists of places, which know files of Neovim's folder
    lnum = row.line, col = row.line and first and first.start + 1 or nil, text = row.text,
  }
end

-- Gives Telescope the rows that are here. It can't take one back, so that none is given before the order is known.
function Source:give()
  local query, model, list = self.query, self.search.view.model, self.search:results()
  if not query or query.is_done or not self.search:is_current() then return end
  if self.mode == 'files' and not (model.scanning and model.scanning.isDone) then return end
  local count = math.min(list.count, most_rows)
  list:show(0, count)
  while query.given < count and list:row(query.given) ~= nil do
    local row = list:row(query.given)
    query.given = query.given + 1
    -- Where Telescope wants no more, it has asked for something else.
    if query.take(entry_of(row, query.given - 1, self.search.arguments.root)) then
      self.query = nil
      return
    end
  end
  if query.given == count and (count == most_rows or self.search:is_complete()) then
    query.is_done = true
    query.done()
  end
end

function Source:changed()
  if self.is_closed then return end
  self:give()
  local problem = self.search.view.state ~= 'opening' and words.problem(self.search) or nil
  if problem ~= self.problem and problem then vim.notify('view model: ' .. problem, vim.log.levels.WARN) end
  self.problem = problem
  self:paint_preview()
end

function Source:close()
  if self.is_closed then return end
  self.is_closed = true
  self.search:close()
end

function Source:paint_preview()
  local pane = self.preview and self.preview.pane
  if not pane or not pane:is_open() or vim.api.nvim_win_get_buf(pane.window) ~= pane.buffer then return end
  self.preview:paint(self.search:preview_view())
end

-- The row of an entry becomes the selected one, wherever it is by now.
function Source:select(entry)
  self.search:select(self.search:results():index_of(entry.value.id) or entry.row_index)
end

local function previewer_of(source)
  return require('telescope.previewers').new_buffer_previewer({
    title = 'Preview',
    define_preview = function(previewer, entry)
      source.preview = preview.new(Pane.over(previewer.state.winid, previewer.state.bufnr))
      -- Telescope previews anew when rows come, too, which doesn't take back what the user has decided.
      if not source.search:is_accepting() then source:select(entry) end
      -- Telescope shows the buffer after this.
      vim.schedule(function() source:changed() end)
    end,
    -- The buffer has only the lines on screen.
    scroll_fn = function(_, lines)
      source.preview:scroll(lines)
      source:paint_preview()
    end,
  })
end

local function next_mode(source, picker)
  source.mode = Search.next_mode(source.mode)
  if picker.prompt_border then picker.prompt_border:change_title(source.mode) end
  picker:refresh()
end

local function attach(source)
  local actions = require('telescope.actions')
  local state = require('telescope.actions.state')
  return function(buffer, map)
    require('telescope.actions.set').select:replace(function(_, kind)
      local entry = state.get_selected_entry()
      if not entry then return end
      source:select(entry)
      source.search:accept(function(event, row)
        opener.after_insert(function()
          actions.close(buffer)
          opener.open(event, row, ways[kind] or 'edit')
        end)
      end)
    end)
    for _, mode in ipairs({ 'i', 'n' }) do
      map(mode, '<C-f>', function() next_mode(source, state.get_current_picker(buffer)) end)
    end
    return true
  end
end

-- Opens Telescope's picker. `options` are Telescope's, and those of `require('view_model').find`.
return function(options)
  options = options or {}
  local arguments = { root = options.root, hidden = options.hidden, ignore = options.ignore }
  local mode = options.mode or 'files'
  local source = setmetatable({ search = require('view_model').search(arguments), mode = mode }, Source)
  source.search:open('', mode, function() source:changed() end)
  source.search:show_preview(true)
  local given = vim.tbl_extend('force', options, { default_text = options.text or options.default_text })
  require('telescope.pickers').new(given, {
    prompt_title = mode,
    finder = finder_of(source),
    sorter = require('telescope.sorters').empty(),
    previewer = previewer_of(source),
    attach_mappings = attach(source),
  }):find()
end
