-- A client in Neovim for `run`: sends events to durable sessions until the file ENDS is there, and says what it saw in the
-- file REPORT, line by line.
--
--     SOCKET=… ENDS=… REPORT=… nvim --headless -n -u NONE --cmd 'set rtp+=clients/neovim' -c 'luafile client.lua'

local view_model = require('view_model')
local View = require('view_model.view')

local report_path, ends_path = vim.env.REPORT, vim.env.ENDS

local function write(text) vim.fn.writefile({ text }, report_path, 'a') end

local function fail(words)
  io.stderr:write(words .. '\n')
  vim.cmd('cquit!')
end

local function is_over() return vim.loop.fs_stat(ends_path) ~= nil end

-- Each number that a view has seen, as the plugin takes it.
local seen = {}
local take = View.take
function View:take(method, params)
  local before = self.seq
  take(self, method, params)
  if self.seq == before or not self.key or self.host then return end
  local numbers = seen[self.key] or {}
  seen[self.key] = numbers
  if numbers[tostring(self.seq)] ~= nil then fail(('number %d came twice'):format(self.seq)) end
  numbers[tostring(self.seq)] = params.event or vim.NIL
end
local replace = View.replace
function View:replace(snapshot, seq)
  if not self.host then fail('a snapshot came') end
  replace(self, snapshot, seq)
end

-- Tasks wait for what comes from the server.
local tasks = {}

local function await(condition)
  while not condition() do coroutine.yield() end
end

-- Sends events as a user does: again where the plugin says that they weren't sent, since the store can't be reached.
-- Returns false where the view has gone.
local function deliver(view, events)
  while #events > 0 do
    local root = view:root()
    root:forget_unsent()
    for _, event in ipairs(events) do view:send(event) end
    await(function() return view.state == 'ended' or view.state == 'live' and #view.outbox.events == 0 end)
    if root.state == 'ended' then fail(('%s has ended: %s'):format(root.name, root.problem)) end
    if view.state == 'ended' then return false end
    events = vim.tbl_map(function(unsent) return unsent.event end, root.unsent.events)
    if #events > 0 then
      local again = vim.loop.now() + 200
      await(function() return vim.loop.now() >= again end)
    end
  end
  return true
end

local function report(view, sent, more)
  await(function() return view.state == 'live' end)
  local own = { viewModel = view.name, key = view.key, sent = sent, seen = seen[view.key] }
  write(vim.json.encode(vim.tbl_extend('force', own, more)))
end

local function count(view)
  local sent = 0
  while not is_over() do
    local events = {}
    for index = 1, 10 do events[index] = { kind = 'increment', by = 1 } end
    deliver(view, events)
    sent = sent + 10
  end
  report(view, sent, { last = seen[view.key][tostring(view.seq)].value })
end

local function note(view)
  local sent = 0
  while not is_over() do
    deliver(view, { { kind = 'add', title = tostring(sent) } })
    deliver(view, { { kind = 'toggle', id = sent / 2 + 1 } })
    deliver(view, { { kind = 'removeDone' } })
    sent = sent + 2
  end
  report(view, sent, {})
end

local function order(view)
  local sent = 0
  deliver(view, { { kind = 'loadOrders' } })
  while true do
    deliver(view, { { kind = 'selectOrder', index = sent % 20 } })
    await(function() return view.stack[1] and view.stack[1].state == 'live' end)
    local details = view.stack[1]
    deliver(details, { { kind = 'editNote', value = tostring(sent) } })
    deliver(details, { { kind = 'saveNote' } })
    sent = sent + 3
    if is_over() then break end
    while details.state ~= 'ended' do
      await(function() return details.state ~= 'lost' end)
      local is_answered = false
      if details.state == 'live' then
        details:back(function() is_answered = true end)
        await(function() return is_answered end)
        -- Its effect is told before the answer, unless the store can't be reached.
        local again = vim.loop.now() + 100
        await(function() return details.state == 'ended' or vim.loop.now() >= again end)
      end
    end
  end
  local list, ids = view:list('orders'), {}
  await(function()
    if view.state == 'live' then list:show(0, 20) end
    return view.state == 'live' and list:row(0) and list:row(19)
  end)
  for index = 0, list.count - 1 do table.insert(ids, list:row(index).id) end
  local names = vim.tbl_map(function(child) return child.name end, view.stack)
  report(view, sent, { navigation = names, rows = ids })
end

local function begin(work, name, arguments)
  local view = view_model.open(name, arguments)
  table.insert(tasks, coroutine.create(function()
    await(function() return view.state == 'live' and view.seq > 0 end)
    view.is_open = true
    work(view)
  end))
  return view
end

view_model.setup({ address = vim.env.SOCKET })
local views = {
  begin(count, 'counter'), begin(note, 'todos', { list = tostring(vim.loop.hrtime()) }), begin(order, 'orders', { count = 20, delay = 0 }),
}

local has_opened, is_done = false, false
local timer = vim.loop.new_timer()
timer:start(0, 3, vim.schedule_wrap(function()
  -- It may be queued more than once, and then comes after the timer was stopped, too.
  if is_done then return end
  for index, task in ipairs(tasks) do
    if coroutine.status(task) ~= 'dead' then
      local is_well, problem = coroutine.resume(task)
      if not is_well then fail(debug.traceback(task, problem)) end
    end
  end
  if not has_opened and #vim.tbl_filter(function(view) return view.is_open end, views) == #views then
    has_opened = true
    write('open')
  end
  if #vim.tbl_filter(function(task) return coroutine.status(task) ~= 'dead' end, tasks) == 0 then
    is_done = true
    timer:stop()
    write('done')
  end
end))
