-- The windows and keys of a search: a prompt, the results below it, and a preview beside them.

local Pane = require('view_model.finder.pane')
local Search = require('view_model.finder.search')
local opener = require('view_model.finder.opener')
local places = require('view_model.finder.places')
local preview = require('view_model.finder.preview')
local rows = require('view_model.finder.rows')
local words = require('view_model.finder.words')

local Picker = {}
Picker.__index = Picker

local uv = vim.uv or vim.loop

local prefix = '> ' -- of the prompt
local marked, unmarked = '> ', '  ' -- before the selected row, and before others
local patience = 150 -- ms for which rows of the text before look like those of the new one

local open_picker -- there is one at most

-- Opens a picker for a search. `options` may have a `text` to begin with, and a `mode`.
function Picker.open(search, options)
  if open_picker then return open_picker:close(function() Picker.open(search, options) end) end
  local picker = setmetatable({
    search = search,
    origin = vim.api.nvim_get_current_win(),
    origin_cursor = vim.api.nvim_win_get_cursor(0),
    height = 0, -- rows on screen
    late_since = nil, -- when the rows began to be others than those of the text
    is_closed = false,
  }, Picker)
  open_picker = picker
  picker:open_panes()
  picker:take_keys()
  picker:watch()
  picker:set_text(options.text or '')
  vim.cmd('startinsert!')
  search:show_preview(picker.preview ~= nil)
  search:open(options.text or '', options.mode or 'files', function() picker:paint() end)
end

-- Windows

local function lines_of_screen() return vim.o.lines - vim.o.cmdheight - (vim.o.laststatus > 0 and 1 or 0) end

function Picker:open_panes()
  local place = places.of(vim.o.columns, lines_of_screen())
  self.results = Pane.open(place.results, { filetype = 'viewmodelresults' })
  self:open_preview(place.preview)
  self.prompt = Pane.open(place.prompt, { is_entered = true })
  vim.bo[self.prompt.buffer].buftype = 'prompt' -- so that plugins that complete or pair leave it alone
  vim.bo[self.prompt.buffer].filetype = 'viewmodelprompt'
  vim.fn.prompt_setprompt(self.prompt.buffer, prefix)
end

function Picker:open_preview(place)
  if place and not self.preview then
    self.preview = preview.new(Pane.open(place, {}))
  elseif place then
    self.preview.pane:move(place)
  elseif self.preview then
    self.preview.pane:close()
    self.preview = nil
  end
end

function Picker:resize()
  local place = places.of(vim.o.columns, lines_of_screen())
  self.prompt:move(place.prompt)
  self.results:move(place.results)
  self:open_preview(place.preview)
  self.search:show_preview(self.preview ~= nil)
  self:paint()
end

function Picker:watch()
  local function on(events, act)
    vim.api.nvim_create_autocmd(events, { buffer = self.prompt.buffer, callback = function()
      -- Windows and buffers can't be changed amid these events.
      vim.schedule(function() if not self.is_closed then act() end end)
    end })
  end
  vim.api.nvim_create_autocmd({ 'TextChangedI', 'TextChangedP', 'TextChanged' }, {
    buffer = self.prompt.buffer, callback = function() self:text_changed() end,
  })
  on('VimResized', function() self:resize() end)
  on({ 'WinLeave', 'BufLeave' }, function() self:left() end)
end

-- The text

function Picker:text()
  local text = table.concat(vim.api.nvim_buf_get_lines(self.prompt.buffer, 0, -1, false))
  return vim.startswith(text, prefix) and text:sub(#prefix + 1) or text
end

function Picker:set_text(text)
  vim.api.nvim_buf_set_lines(self.prompt.buffer, 0, -1, false, { prefix .. text })
  vim.bo[self.prompt.buffer].modified = false
  vim.api.nvim_win_set_cursor(self.prompt.window, { 1, #prefix + #text })
end

function Picker:text_changed()
  if self.is_closed then return end
  local text = self:text()
  -- What was pasted may have several lines.
  if vim.api.nvim_buf_line_count(self.prompt.buffer) > 1 then self:set_text(text) end
  vim.bo[self.prompt.buffer].modified = false
  if text ~= self.search.text then self.search:ask(text) end
end

-- Keys

-- From the ends it goes on at the other one.
local function by_rows(step)
  return function(self)
    local list = self.search:results()
    if list.count > 0 then self.search:select((list.cursor.index + step) % list.count) end
  end
end

local function by_pages(sign)
  return function(self)
    local list = self.search:results()
    local target = list.cursor.index + sign * math.max(1, self.height - 1)
    self.search:select(math.max(0, math.min(target, list.count - 1)))
  end
end

local function by_halves(sign)
  return function(self)
    if not self.preview then return end
    self.preview:scroll(sign * math.max(1, math.floor(self.preview.pane.place.height / 2)))
    self:paint()
  end
end

local function accepting(how)
  return function(self) self:accept(how) end
end

local keys = {
  ['<C-n>'] = by_rows(1), ['<Down>'] = by_rows(1), ['<C-p>'] = by_rows(-1), ['<Up>'] = by_rows(-1),
  ['<PageDown>'] = by_pages(1), ['<PageUp>'] = by_pages(-1),
  ['<C-d>'] = by_halves(1), ['<C-u>'] = by_halves(-1),
  ['<C-f>'] = function(self) self.search:ask(self.search.text, Search.next_mode(self.search.mode)) end,
  ['<CR>'] = accepting('edit'), ['<C-x>'] = accepting('split'), ['<C-v>'] = accepting('vsplit'),
  ['<C-t>'] = accepting('tab'),
  ['<Esc>'] = function(self) self:close() end, ['<C-c>'] = function(self) self:close() end,
}

function Picker:take_keys()
  local options = { buffer = self.prompt.buffer, nowait = true, silent = true }
  for key, act in pairs(keys) do
    vim.keymap.set({ 'i', 'n' }, key, function()
      self:text_changed() -- a key may come before what was typed is told
      if not self.is_closed then act(self) end
    end, options)
  end
  -- In the buffer of a prompt it would be a command for windows.
  vim.keymap.set('i', '<C-w>', '<C-S-w>', options)
end

function Picker:accept(how)
  self.search:accept(function(event, row)
    self:close(function() opener.open(event, row, how) end)
  end)
end

-- Painting

-- Whether the rows on screen are still those of another text, for so long that it should be seen.
function Picker:is_late()
  if self.search.view:is_stale() then return true end
  if self.search:is_current() then
    self.late_since = nil
    return false
  end
  if not self.late_since then
    self.late_since = uv.now()
    vim.defer_fn(function() self:paint() end, patience + 10)
  end
  return uv.now() - self.late_since >= patience
end

function Picker:paint_modes()
  local parts = { { ' ' } }
  for _, mode in ipairs(Search.modes) do
    table.insert(parts, { mode, mode == self.search.mode and 'ViewModelTitle' or 'ViewModelKeys' })
    table.insert(parts, { ' ' })
  end
  table.insert(parts, { '^F ', 'ViewModelKeys' })
  self.prompt:set_title(vim.tbl_map(function(one) return { one[1], one[2] or 'Normal' } end, parts))
end

-- The text as lines of a width, broken between words where that can be.
local function broken(text, width)
  local lines = { '' }
  for word in text:gmatch('%S+') do
    local line = lines[#lines] == '' and word or lines[#lines] .. ' ' .. word
    if lines[#lines] == '' or vim.fn.strdisplaywidth(line) <= width then
      lines[#lines] = line
    else
      table.insert(lines, word)
    end
  end
  return lines
end

-- The lines above the rows: how many there are, and what else is to be said.
local function head(search, width)
  local lines = {}
  for _, said in ipairs({
    { words.count(search), 'ViewModelKeys' },
    { words.problem(search) or '', 'ViewModelStatus' },
    { search.view.model.note or '', 'ViewModelKeys' },
  }) do
    for _, line in ipairs(said[1] ~= '' and broken(said[1], width - #unmarked) or {}) do
      local text = unmarked .. line
      table.insert(lines, { text, { { 0, #text, said[2] } } })
    end
  end
  return lines
end

local function line_of(row, is_selected, width)
  local before = is_selected and marked or unmarked
  if type(row) ~= 'table' or type(row.path) ~= 'string' then return { before .. '…' } end
  local text, marks = rows.line(row, width - #before)
  for _, mark in ipairs(marks) do
    mark[1], mark[2] = mark[1] + #before, mark[2] + #before
  end
  if is_selected then table.insert(marks, { 0, #before, 'ViewModelMatch' }) end
  return { before .. text, marks }
end

function Picker:paint_results()
  local list, place = self.search:results(), self.results.place
  local lines = head(self.search, place.width)
  local above = #lines
  self.height = math.max(1, math.min(place.height - above, list.count))
  list:settle(self.height)
  list:show(list.top.index, math.max(1, place.height - above))
  local selected = list.cursor.index
  for index = list.top.index, math.min(list.top.index + self.height, list.count) - 1 do
    table.insert(lines, line_of(list:row(index), index == selected, place.width))
  end
  self.results:write(lines)
  if self:is_late() then self.results:dim(above, #lines) end
  local line = above + selected - list.top.index
  if list.count > 0 and line < #lines then self.results:mark(line) end
end

function Picker:paint()
  if self.is_closed or not self.results:is_open() or not self.prompt:is_open() then return end
  if self:text() ~= self.search.text then self:set_text(self.search.text) end -- another view has searched
  self:paint_modes()
  self:paint_results()
  if self.preview and self.preview.pane:is_open() then
    self.preview:paint(self.search:selected() and self.search:preview_view())
  end
end

-- Closing

function Picker:forget()
  self.is_closed = true
  if open_picker == self then open_picker = nil end
  self.search:close()
end

function Picker:close_panes()
  for _, pane in ipairs({ self.results, self.prompt, self.preview and self.preview.pane }) do pane:close() end
end

-- Closes it, goes back to where it was opened, and calls `act` there.
function Picker:close(act)
  if self.is_closed then return end
  self:forget()
  opener.after_insert(function()
    self:close_panes()
    if vim.api.nvim_win_is_valid(self.origin) then
      vim.api.nvim_set_current_win(self.origin)
      pcall(vim.api.nvim_win_set_cursor, self.origin, self.origin_cursor)
    end
    if act then act() end
  end)
end

-- The user has gone to another window.
function Picker:left()
  if vim.api.nvim_get_current_buf() == self.prompt.buffer then return end
  self:forget()
  vim.cmd('stopinsert')
  self:close_panes()
end

return Picker
