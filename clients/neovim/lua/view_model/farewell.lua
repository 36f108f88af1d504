-- Leaving a session, which goes on, and ending it, which is another thing. What goes on is said, with the way back.

local View = require('view_model.view')
local paint = require('view_model.paint')
local unanswered = require('view_model.unanswered')
local way_back = require('view_model.way_back')

local M = {}

local function say(text, level) vim.notify('view model: ' .. text, level or vim.log.levels.INFO) end

-- Leaves a root, whose buffer is gone.
function M.leave(root)
  local client, name, key = root.client, root.name, root.key
  root:leave()
  unanswered.say_later(root)
  if not key then return end
  client:remember(name, key)
  say(('%s goes on; %s goes back to it'):format(name, way_back(root)))
end

-- Says the way back to a root that has ended, whose buffer is gone, where its session may be kept all the same.
function M.leave_ended(root)
  if not root.may_be_kept then return end
  root.client:forget_failed(root)
  say(('%s may be kept; %s goes back to it'):format(root.name, way_back(root)))
end

-- The keys of the sessions that were left, newest first; those that begin with `lead`, or whose view model does.
function M.keys(client, lead)
  local found = {}
  for _, one in ipairs(client.left) do
    if vim.startswith(one.key, lead) or vim.startswith(one.name, lead) then table.insert(found, one.key) end
  end
  return found
end

local function question(root, others)
  local words = { ('End %s for good?'):format(root.name) }
  if others == 1 then table.insert(words, 'Another view of it is open.') end
  if others > 1 then table.insert(words, ('%d other views of it are open.'):format(others)) end
  if root.client.is_durable then table.insert(words, 'What the server has stored of it is removed.') end
  return table.concat(words, ' ')
end

-- Whether a client that ends the session only leaves it.
local function is_shared(root) return root.client.scopes[root.name] == 'everyone' end

local function close(root, ended)
  root:ask('session/close', { session = root.session }, function(err)
    if err then return root:say("can't end it: " .. err.message) end
    root.is_left = true
    root:finish('it was ended')
    ended(root)
    if is_shared(root) then say(('%s stays for the others; %s goes back to it'):format(root.name, way_back(root))) end
  end)
end

-- Ends the session of a root, and calls `ended(root)`. Asks first where that takes something from others, or from a
-- store.
function M.end_session(root, ended)
  if root.state == 'ended' then return ended(root) end
  if root:looks_only() then return root:say_looks_only() end
  if root.state ~= 'live' or root.client:is_silent() then return root:say("it can't be ended now") end
  if is_shared(root) then return close(root, ended) end
  local session = root.session
  root.client:request('session/list', vim.empty_dict(), function(err, result)
    if err or root.session ~= session then return root:say("it can't be ended now") end
    local others = 0
    for _, one in ipairs(result.sessions) do
      if one.session == session then others = one.views - 1 end
    end
    local needs_asking = others > 0 or root.client.is_durable
    if needs_asking and vim.fn.confirm(question(root, others), '&End it\n&Keep it', 2) ~= 1 then return end
    if root.session == session then close(root, ended) end
  end)
end

-- How to find again what a store keeps.
local function kept_lines(client)
  local lines = {}
  local roots = client.is_durable and vim.list_slice(client.roots) or {}
  for _, root in ipairs(vim.list_extend(roots, client.failed)) do
    if root.key and root.observer == View.observer then
      table.insert(lines, ('view model: %s is kept if it is durable; %s finds it'):format(root.name, way_back(root)))
    end
  end
  return lines
end

-- Says something on the terminal itself, where it is still read when Neovim has ended.
local function say_at_end(lines)
  if #lines == 0 then return end
  local is_tty = (vim.uv or vim.loop).guess_handle(2) == 'tty'
  -- Since 0.9 another process has the terminal, and hands on what is written here.
  local is_terminal = vim.tbl_contains(vim.tbl_map(function(ui)
    return ui.stdout_tty == true or ui.stdout_tty == nil and is_tty
  end, vim.api.nvim_list_uis()), true)
  -- To the screen of before, and back to Neovim's, which it leaves again itself.
  local from, to = '\27[?1049l', '\27[?1049h'
  if not is_terminal then from, to = '', '' end
  io.stderr:write(from, table.concat(lines, '\r\n'), '\r\n', to)
  io.stderr:flush()
end

-- Neovim is about to end, unless a buffer is modified: waits for what isn't answered, and has it show where no answer
-- came.
function M.hold_back()
  unanswered.wait()
  unanswered.hold(paint.paint)
end

-- Leaves all sessions, since Neovim ends.
function M.leave_all(client)
  unanswered.wait()
  local kept = kept_lines(client)
  if client.is_durable then
    -- A server of before 1.2 ends at `shutdown` what isn't left before.
    for _, root in ipairs(client.roots) do root:detach_all() end
  end
  client:shut_down()
  say_at_end(vim.list_extend(kept, unanswered.lines()))
  client:leave()
end

return M
