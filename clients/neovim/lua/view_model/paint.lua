-- Writes what a view shows into its buffer.

local json_text = require('view_model.json_text')
local layout = require('view_model.layout')
local sections = require('view_model.sections')
local status = require('view_model.status')

local M = {}

local namespace = vim.api.nvim_create_namespace('view_model')

local groups = {
  ViewModelTitle = 'Title', ViewModelKeys = 'Comment', ViewModelStatus = 'WarningMsg', ViewModelHere = 'Comment',
  ViewModelLabel = 'Identifier', ViewModelMark = 'Special', ViewModelCancelled = 'Comment',
  ViewModelMatch = 'Special', ViewModelFolder = 'Comment', ViewModelSelection = 'Visual', ViewModelBorder = 'Normal',
}

local function define_groups()
  for name, standard in pairs(groups) do vim.cmd(('highlight default link %s %s'):format(name, standard)) end
  vim.cmd('highlight default ViewModelStale ctermfg=DarkGray guifg=#808080')
end

define_groups()
-- A colour scheme clears them.
vim.api.nvim_create_autocmd('ColorScheme', { callback = define_groups })

local function help(view)
  local words = {}
  for _, key in ipairs(view.keys) do
    local does = key[2] and key[2](view)
    if does then table.insert(words, ('%s %s'):format(key[1] == '<CR>' and 'Enter' or key[1], does)) end
  end
  return table.concat(words, '   ')
end

local function event_line(label, numbered)
  return {
    { label .. json_text.event(numbered.event), 'ViewModelMark' },
    { numbered.was_sent and '  (sent, and not answered)' or '' },
  }
end

-- The lines of the events that this view's session didn't take yet, and of those that no session took.
local function event_lines(view)
  local lines = {}
  local held = view:held()
  if view:waiting_count() > 0 or #held > 0 then
    vim.list_extend(lines, { '', { { #held > 0 and 'Not answered yet' or 'Waits to be sent', 'ViewModelTitle' } } })
    for _, numbered in ipairs(#held > 0 and held or view.outbox.events) do
      table.insert(lines, event_line('', numbered))
    end
  end
  local unsent = view:root().unsent
  local all, sent = unsent:counts()
  if all == 0 or view.is_presented then return lines end
  local title = sent == 0 and 'Not sent' or sent == all and 'Not answered' or 'Not sent or not answered'
  vim.list_extend(lines, { '', { { title, 'ViewModelTitle' }, { '   D forget it', 'ViewModelKeys' } } })
  for _, one in ipairs(unsent.events) do
    table.insert(lines, event_line(one.label == view:label() and '' or one.label .. ': ', one))
  end
  return lines
end

local function third_line(view)
  local state, here = status.of(view), status.here(view)
  return {
    { state or '', 'ViewModelStatus' }, { state and here and '; ' or '' }, { here or '', 'ViewModelHere' },
  }
end

-- All lines, and how many of them show the view model.
local function content(view)
  local below = event_lines(view)
  view.lines_below = #below
  local shown = view:lines()
  local lines = {
    { { view:title(), 'ViewModelTitle' } },
    { { help(view), 'ViewModelKeys' } },
    third_line(view),
  }
  vim.list_extend(lines, shown)
  local own = #lines
  return vim.list_extend(lines, below), own
end

-- The text of a line and where its highlights are.
local function flat(line)
  if type(line) == 'string' then return (line:gsub('\n', ' ')), {} end
  local text, marks = '', {}
  for _, part in ipairs(line) do
    local from = #text
    text = text .. part[1]:gsub('\n', ' ')
    if part[2] and #text > from then table.insert(marks, { from, #text, part[2] }) end
  end
  return text, marks
end

-- Replaces the lines that differ, and no others, since the cursors of other windows leave lines that are replaced.
local function set_lines(buffer, texts)
  local old = vim.api.nvim_buf_get_lines(buffer, 0, -1, false)
  if #old == 1 then old = {} end -- a new buffer has an empty line, on which no cursor has to stay
  local first = 1
  while first <= #texts and old[first] == texts[first] do first = first + 1 end
  local same = 0 -- at the end
  while same < math.min(#old, #texts) - first + 1 and old[#old - same] == texts[#texts - same] do same = same + 1 end
  local last = #old == 0 and -1 or #old - same
  vim.api.nvim_buf_set_lines(buffer, first - 1, last, false, vim.list_slice(texts, first, #texts - same))
end

local function has_events(view)
  return view:waiting_count() > 0 or #view:held() > 0 or not view.host and #view.unsent.events > 0
end

-- Dims lines, over their other highlights.
local function dim(buffer, first, last)
  vim.api.nvim_buf_set_extmark(buffer, namespace, first, 0, {
    end_row = last, end_col = 0, hl_group = 'ViewModelStale', priority = 5000,
  })
end

local function write(view, lines, own)
  local texts, marks = {}, {}
  for number, line in ipairs(lines) do
    texts[number], marks[number] = flat(line)
  end
  local buffer = view.buffer
  vim.bo[buffer].modifiable = true
  set_lines(buffer, texts)
  vim.bo[buffer].modifiable = false
  vim.bo[buffer].modified = has_events(view) -- so that `:quit` says that something isn't done
  vim.api.nvim_buf_clear_namespace(buffer, namespace, 0, -1)
  for number, in_line in ipairs(marks) do
    for _, mark in ipairs(in_line) do
      vim.api.nvim_buf_set_extmark(buffer, namespace, number - 1, mark[1], { end_col = mark[2], hl_group = mark[3] })
    end
  end
  if view:is_stale() then
    dim(buffer, 0, 1)
    dim(buffer, layout.head_height, math.min(own, vim.api.nvim_buf_line_count(buffer)))
  end
  view.texts = texts
end

-- The cursor waits on the first line of the view itself.
local function leave_head(view)
  if #view.texts <= layout.head_height then
    view.was_below_head = false
    return
  end
  for _, window in ipairs(vim.fn.win_findbuf(view.buffer)) do
    if vim.api.nvim_win_get_cursor(window)[1] <= layout.head_height and not view.was_below_head then
      vim.api.nvim_win_set_cursor(window, { layout.head_height + 1, 0 })
    end
  end
  view.was_below_head = true
end

-- The state is shown at the bottom where a long list hides the head.
local function say_head(view)
  local head = status.of(view) or status.here(view) or view:title()
  local is_new = head ~= view.said_head
  view.said_head = head
  if not is_new or vim.api.nvim_get_current_buf() ~= view.buffer then return end
  if vim.fn.line('w0') <= layout.head_height then return end
  local group = status.of(view) and 'ViewModelStatus' or 'ViewModelHere'
  -- A longer line would have to be answered.
  vim.api.nvim_echo({ { vim.fn.strcharpart(head, 0, vim.o.columns - 12), group } }, false, {})
end

-- The place of a view's float: in the middle, as large as its text needs and the screen allows.
function M.float_place(view)
  local texts = view.texts or { '' }
  local width = 20
  for _, text in ipairs(texts) do width = math.max(width, vim.fn.strdisplaywidth(text)) end
  width = math.max(1, math.min(width, vim.o.columns - 4))
  local needed = 0 -- a long line is wrapped
  for _, text in ipairs(texts) do needed = needed + math.max(1, math.ceil(vim.fn.strdisplaywidth(text) / width)) end
  local height = math.max(1, math.min(needed, vim.o.lines - 6))
  return {
    relative = 'editor', style = 'minimal', border = 'rounded', width = width, height = height,
    col = math.floor((vim.o.columns - width) / 2) - 1, row = math.floor((vim.o.lines - height) / 2) - 1,
  }
end

local function fit_floats(view)
  for _, window in ipairs(vim.fn.win_findbuf(view.buffer)) do
    if vim.api.nvim_win_get_config(window).relative ~= '' then
      vim.api.nvim_win_set_config(window, M.float_place(view))
    end
  end
end

-- Paints a view now.
function M.paint(view)
  view.is_paint_requested = false
  if not view.buffer or not vim.api.nvim_buf_is_loaded(view.buffer) then return end
  write(view, content(view))
  fit_floats(view)
  leave_head(view)
  sections.place_cursor(view)
  say_head(view)
end

-- Paints a view soon, once for all that comes together.
function M.request(view)
  if view.is_paint_requested then return end
  view.is_paint_requested = true
  vim.schedule(function()
    if view.is_paint_requested then M.paint(view) end
  end)
end

return M
