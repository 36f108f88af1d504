-- Does with this client what `view-model-server conform` says, and tells what a user would see. To be run as
-- `nvim --clean --headless -S clients/neovim/tests/driver.lua`; the last argument is the address of who says it.

vim.opt.runtimepath:prepend(vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p:h:h'))

local Client = require('view_model.client')
local View = require('view_model.view')
local farewell = require('view_model.farewell')
local views = require('view_model.views')

local client
local shown = {} -- by their names: each has its `view` once there is one, its `errors`, and the windows on its lists

local function add(name, view)
  shown[name] = { view = view, errors = {}, windows = {} }
  return shown[name]
end

-- Keeps all events of a view model, whatever its name is: `setup` takes views only for names that are known before.
local keeper = {
  new = function() return { events = {} } end,
  apply = function(model, event) table.insert(model.events, event) end,
  title = function(view) return view.name end,
}
views.of = function() return keeper end

vim.fn.confirm = function() return 1 end -- who ends a session is sure of it

View.observer = {
  changed = function(view)
    for _, one in pairs(shown) do
      if one.view == view and one.message ~= view.message then
        one.message = view.message
        table.insert(one.errors, view.message)
      end
    end
  end,
  arranged = function(root)
    root:each_view(function(view)
      if view.host and not shown[view.key] then add(view.key, view) end
    end)
  end,
  chosen = function() end,
  unsent = function() end,
}

local function rows(view, name, window)
  local list, seen = view:list(name), {}
  for index = window.first, math.min(window.first + window.count, list.count) - 1 do
    local row = list:row(index)
    table.insert(seen, row == nil and vim.NIL or row)
  end
  local selected = list:is_cursor_known() and list.cursor.index or nil
  return { count = list.count, first = window.first, rows = seen, selected = selected }
end

local function look(one)
  local view = one.view
  if not view then return { state = one.problem and 'ended' or 'opening', reason = one.problem } end
  local state, over, dropped, lists = view.state, {}, {}, vim.empty_dict()
  if state ~= 'ended' and state ~= 'opening' then state = view:is_stale() and 'old' or 'shown' end
  view:each_child(function(child) table.insert(over, child.key) end)
  for _, unsent in ipairs(view:root().unsent.events) do
    if unsent.label == view:label() then table.insert(dropped, { event = unsent.event, wasSent = unsent.was_sent }) end
  end
  for name, window in pairs(one.windows) do lists[name] = rows(view, name, window) end
  return {
    state = state, reason = view.problem, key = view.key, seq = view.seq, events = view.model.events,
    waiting = vim.tbl_map(function(numbered) return numbered.event end, view.outbox.events),
    dropped = dropped, errors = one.errors, stall = view:stall(), over = over, lists = lists,
  }
end

local acts = {}

function acts.connect(command) client = Client.new({ address = command.address }) end

function acts.open(command)
  add(command.view, View.new(client, { name = command.viewModel, arguments = command.arguments })).view:open()
end

function acts.attach(command)
  local one = add(command.view)
  local function attached(problem, view) one.problem, one.view = problem, view end
  client:when_open(function() View.join(client, command.key, attached) end, attached)
end

function acts.send(command, one) one.view:send(command.event) end
function acts.back(_, one) one.view:back() end
function acts.detach(_, one) farewell.leave(one.view) end
function acts.close(_, one) farewell.end_session(one.view, function() end) end
function acts.leave() farewell.leave_all(client) end

function acts.show(command, one)
  one.windows[command.list] = command
  one.view:list(command.list):show(command.first, command.count)
end

function acts.select(command, one)
  local list = one.view:list(command.list)
  list:move(list.cursor, command.index)
end

function acts.look() return { views = next(shown) and vim.tbl_map(look, shown) or vim.empty_dict() } end

local function answer(line)
  local command = vim.json.decode(line, { luanil = { object = true } })
  local act = acts[command['do']]
  if not act then return { lacks = command['do'] } end
  local is_done, result = pcall(act, command, shown[command.view])
  return is_done and (result or vim.empty_dict()) or { error = result }
end

local unread = ''
vim.fn.sockconnect('tcp', vim.v.argv[#vim.v.argv], { on_data = function(channel, pieces)
  if #pieces == 1 and pieces[1] == '' then vim.cmd('qall!') end -- it has ended
  pieces[1] = unread .. pieces[1]
  unread = table.remove(pieces)
  for _, line in ipairs(pieces) do vim.fn.chansend(channel, vim.json.encode(answer(line)) .. '\n') end
end })
