-- What is on screen: each view has a buffer; a window that shows one of a stack shows its topmost; what is presented
-- floats over what it covers.

local View = require('view_model.view')
local farewell = require('view_model.farewell')
local unanswered = require('view_model.unanswered')
local forms = require('view_model.forms')
local json_text = require('view_model.json_text')
local layout = require('view_model.layout')
local paint = require('view_model.paint')
local sections = require('view_model.sections')

local M = {}

local by_buffer = {} -- the views by their buffers
local last_number = 0

local function is_shown(view) return view.window and vim.api.nvim_win_is_valid(view.window) end

-- Keys and buffers

local function leave(view)
  if view.host and not view:looks_only() then view:back() else M.close(view:root()) end
end

-- Opens what has ended. That may have been for want of arguments.
local function open_again(view)
  if view.state ~= 'ended' then return end
  if view:kept_key() or view.arguments or view.client.state ~= 'open' then return view:open() end
  view:describe(function(err)
    if err then return view:open() end
    forms.ask_arguments(view.description, function(arguments)
      view.arguments = arguments
      view:open()
    end)
  end)
end

-- Keys of the view itself that have words send something, which isn't offered to who may only look.
local function of_type(key)
  if not key[2] then return key end
  local function act(view, line)
    if view:looks_only() then view:say_looks_only() else key[3](view, line) end
  end
  return { key[1], function(view) return not view:looks_only() and key[2] or nil end, act }
end

local function keys(view)
  local all = vim.tbl_map(of_type, view.type.keys)
  table.insert(all, { 'q', function() return view.host and not view:looks_only() and 'back' or 'leave' end, leave })
  if view.is_presented then table.insert(all, { '<Esc>', nil, leave }) end
  if not view.host then
    table.insert(all, { 'R', nil, open_again })
  end
  table.insert(all, { 'D', nil, view.forget_unsent })
  return all
end

local function line_at_cursor() return vim.api.nvim_win_get_cursor(0)[1] - layout.head_height end

local function press(view, act)
  act(view, line_at_cursor())
  -- The next key may be one of Neovim's own, which goes by what is in the buffer.
  if view.is_paint_requested and #view.sections > 0 then paint.paint(view) end
end

local function take_keys(view)
  view.keys = keys(view)
  for _, key in ipairs(view.keys) do
    local options = { buffer = view.buffer, nowait = true, silent = true }
    vim.keymap.set('n', key[1], function() press(view, key[3]) end, options)
  end
end

-- Another type of view has other keys, and other lines for the cursor.
local function begin_anew(view)
  if not view.buffer then return end
  for _, key in ipairs(view.keys) do pcall(vim.keymap.del, 'n', key[1], { buffer = view.buffer }) end
  take_keys(view)
  view.was_below_head = false
  paint.request(view)
end

-- A buffer that is wiped: a root's session is left; another's is a way to go back, which may be refused.
local function wiped(view)
  if view.state == 'ended' then return farewell.leave_ended(view) end
  if view.host then view:back() else farewell.leave(view) end
end

-- A buffer whose text went away: a `:edit` brings it back, all else means that the user has seen enough.
local function unloaded(view, buffer)
  if by_buffer[buffer] ~= view then return end
  if vim.api.nvim_buf_is_loaded(buffer) then return paint.request(view) end
  by_buffer[buffer] = nil
  if view.buffer == buffer then view.buffer = nil end
  wiped(view)
  if vim.api.nvim_buf_is_valid(buffer) then vim.api.nvim_buf_delete(buffer, { force = true }) end
end

local function on_buffer(view, events, act)
  vim.api.nvim_create_autocmd(events, { buffer = view.buffer, callback = function()
    -- Buffers and windows can't be changed amid these events.
    vim.schedule(act)
  end })
end

local function make_buffer(view)
  last_number = last_number + 1
  view.buffer = vim.api.nvim_create_buf(not view.host, true)
  by_buffer[view.buffer] = view
  vim.api.nvim_buf_set_name(view.buffer, ('view-model://%d/%s'):format(last_number, view.name))
  vim.bo[view.buffer].buftype = 'acwrite' -- one that may have something to lose; a scratch buffer never has
  vim.bo[view.buffer].swapfile = false
  vim.bo[view.buffer].modifiable = false
  vim.bo[view.buffer].undolevels = -1 -- nothing here is the user's to undo
  vim.bo[view.buffer].filetype = 'viewmodel'
  take_keys(view)
  local buffer = view.buffer
  on_buffer(view, { 'BufUnload', 'BufWipeout' }, function() unloaded(view, buffer) end)
  on_buffer(view, { 'BufWriteCmd' }, function() view:say('nothing is written here') end)
  -- Lists have as many rows as there is room for; `WinScrolled` is for other sizes, too.
  on_buffer(view, { 'VimResized', 'WinEnter', 'WinScrolled' }, function()
    if #view.sections > 0 then paint.request(view) end
  end)
  vim.api.nvim_create_autocmd('CursorMoved', { buffer = buffer, callback = function()
    if vim.api.nvim_win_get_buf(0) == view.buffer then sections.moved(view, line_at_cursor()) end
  end })
  on_buffer(view, { 'BufWinEnter', 'BufWinLeave' }, function() M.arrange(view:root()) end)
end

local function buffer_of(view)
  if not view.buffer or not vim.api.nvim_buf_is_loaded(view.buffer) then make_buffer(view) end
  paint.request(view)
  return view.buffer
end

-- Windows

-- Whether a view is on the stack of `base` or is `base`.
local function is_of(view, base)
  if view == base then return true end
  return view.host == base and not view.is_presented
end

local function windows_of(base)
  return vim.tbl_filter(function(window)
    local view = by_buffer[vim.api.nvim_win_get_buf(window)]
    return view ~= nil and is_of(view, base)
  end, vim.api.nvim_tabpage_list_wins(0))
end

local function show_in(window, view)
  local buffer = buffer_of(view)
  if vim.api.nvim_win_get_buf(window) ~= buffer then vim.api.nvim_win_set_buf(window, buffer) end
end

local function close_float(view)
  if not is_shown(view) then return end
  local window = view.window
  view.window = nil -- so that it isn't the user who closed it
  vim.api.nvim_win_close(window, true)
  -- Otherwise the command line shows the cursor's place in it.
  vim.api.nvim_echo({ { '' } }, false, {})
end

local function open_float(presented, is_entered)
  presented.window = vim.api.nvim_open_win(buffer_of(presented:top()), is_entered, paint.float_place(presented:top()))
  vim.api.nvim_create_autocmd('WinClosed', {
    pattern = tostring(presented.window), once = true, callback = function()
      if not presented.window or presented.state == 'ended' then return end
      presented.window = nil
      -- It stays closed until the server has said whether one may leave.
      presented.is_being_left = true
      presented:top():back(function() presented.is_being_left = false end)
    end,
  })
end

-- Shows the view over `view`, if that is visible itself.
local function arrange_presented(view, window)
  local presented = view.presented
  if not presented or presented.is_being_left then return end
  if not is_shown(presented) then open_float(presented, vim.api.nvim_get_current_win() == window) end
  show_in(presented.window, presented:top())
  arrange_presented(presented:top(), presented.window)
end

local function hide_presented(view)
  view:each_child(hide_presented)
  if view.presented then close_float(view.presented) end
end

local function discard(view)
  close_float(view)
  local buffer = view.buffer
  if not buffer then return end
  by_buffer[buffer], view.buffer = nil, nil
  if vim.api.nvim_buf_is_valid(buffer) then vim.api.nvim_buf_delete(buffer, { force = true }) end
end

local function discard_ended_children(root)
  for _, view in pairs(by_buffer) do
    if view.host and view.state == 'ended' and view:root() == root then discard(view) end
  end
end

-- Brings all windows to what `root` shows now.
function M.arrange(root)
  if not root.buffer then return discard_ended_children(root) end
  local windows = windows_of(root)
  local top = root:top()
  for _, window in ipairs(windows) do show_in(window, top) end
  for _, child in ipairs(root.stack) do
    if child ~= top then hide_presented(child) end
  end
  if top ~= root and root.presented then close_float(root.presented) end
  if windows[1] then
    local current = vim.api.nvim_get_current_win()
    arrange_presented(top, vim.tbl_contains(windows, current) and current or windows[1])
  else
    hide_presented(top)
  end
  discard_ended_children(root)
end

-- The view that the current buffer shows, or nil.
function M.current() return by_buffer[vim.api.nvim_get_current_buf()] end

-- Takes a root off the screen, and its buffer away.
function M.close(root)
  if root.buffer then vim.api.nvim_buf_delete(root.buffer, { force = true }) end
end

-- Shows a view in the current window.
function M.show(view)
  vim.api.nvim_win_set_buf(0, buffer_of(view))
end

View.observer = {
  unsent = unanswered.tell, -- where its buffer is gone
  chosen = begin_anew,
  changed = function(view) if view.buffer then paint.request(view) end end,
  arranged = function(root) vim.schedule(function() M.arrange(root) end) end,
}

return M
