-- A session with the counter from Neovim, by nothing but the LSP client that it ships:
--
--   VIEW_MODEL_SERVER=.build/debug/view-model-server nvim --headless -u NONE -S Tests/Conformance/Clients/counter.lua
--
-- Prints what it sees, a line each.

local server = vim.env.VIEW_MODEL_SERVER or 'view-model-server'
local patience = 120000 -- ms

local function say(...)
  io.stdout:write(string.format(...), '\n')
  io.stdout:flush()
end

local function wait_until(what, is_so)
  if not vim.wait(patience, is_so, 5) then error('timed out: ' .. what) end
end

-- What a View does: it renders events. Neovim calls this for each one, in order, on its main loop.
local render = {
  count = function(event) return ('count %.0f'):format(event.value) end, -- Lua's numbers are doubles
  rows = function(event)
    local rows = event.value
    local first, last = rows[1], rows[#rows]
    return ('%d rows from "%s" to "%s" at %.2f'):format(#rows, first.name, last.name, last.total)
  end,
  loading = function(event) return event.value and 'loading' or 'not loading' end,
}

local seen = {}
local function on_event(_, params)
  seen[params.session] = params.seq
  say('session %d event %d: %s', params.session, params.seq, render[params.event.kind](params.event))
end

local client
local exit_status
local function start()
  local id = vim.lsp.start_client({
    name = 'view models',
    cmd = { server, '--stdio' },
    handlers = { ['viewModel/event'] = on_event },
    on_init = function(started, result)
      client = started
      say('initialize: %s speaks %s', result.serverInfo.name, result.protocolVersion)
    end,
    on_exit = function(status) exit_status = status end,
  })
  assert(id, 'no server was started')
  wait_until('initialize', function() return client ~= nil end)
end

local function describe(err)
  if err.data then return ('error %d at %s'):format(err.code, err.data.path) end
  return ('error %d, %s'):format(err.code, err.message)
end

-- Sends a request and waits for its answer, which is printed when it comes, among the events: a title and what `show`
-- makes of the result, or the error.
local function request(title, method, params, show)
  local answer
  client.rpc.request(method, params, function(err, result)
    say('%s: %s', title, err and describe(err) or show(result))
    answer = { result = result }
  end)
  wait_until(title, function() return answer ~= nil end)
  return answer.result
end

local function open(view_model, arguments)
  local params = { viewModel = view_model, arguments = arguments }
  local show = function(result) return ('session %d'):format(result.session) end
  return request('session/open ' .. view_model, 'session/open', params, show).session
end

local function send(title, session, event)
  local show = function(result) return ('seq %d'):format(result.seq) end
  request(title, 'view/event', { session = session, event = event }, show)
end

local function increment(session, amount)
  local title = type(amount) == 'number' and ('%.0f'):format(amount) or ('"%s"'):format(amount)
  send('increment by ' .. title, session, { kind = 'increment', by = amount })
end

local function count(session)
  increment(session, 3)
  -- A notification has no answer; the events that follow tell what it did.
  local one = { session = session, event = { kind = 'increment', by = 1 } }
  client.rpc.notify('view/event', one)
  client.rpc.notify('view/event', one)
  send('reset', session, { kind = 'reset' })
  send('load', session, { kind = 'load' })
  increment(session, 'x')
  increment(session, -5)
  increment(session, 9.2e18)
  increment(session, 9.2e18)
end

-- Neovim keeps the answer to a cancelled request to itself: that there is one is told by `notify_reply_callback` only.
local function cancel(session)
  local params = { session = session, event = { kind = 'loadOrders' } }
  local is_answered = false
  local ignore = function() say('loadOrders: answered, not cancelled') end
  local _, id = client.rpc.request('view/event', params, ignore, function() is_answered = true end)
  wait_until('loading', function() return seen[session] == 1 end)
  client.rpc.notify('$/cancelRequest', { id = id })
  wait_until('cancelled', function() return is_answered end)
  say('loadOrders: cancelled')
end

local function list()
  request('session/list', 'session/list', nil, function(result)
    local numbers = vim.tbl_map(function(view) return ('%d'):format(view.session) end, result.sessions)
    return table.concat(numbers, ' ')
  end)
end

local function done() return 'done' end

local function close(session)
  request(('session/close %d'):format(session), 'session/close', { session = session }, done)
end

local function stop()
  request('shutdown', 'shutdown', nil, done)
  client.rpc.notify('exit')
  wait_until('exit', function() return exit_status ~= nil end)
  say('exit: status %d', exit_status)
end

local function run()
  start()
  local counter = open('counter', { start = 5 })
  count(counter)
  local orders = open('orders', { delay = 600 })
  cancel(orders)
  list()
  close(orders)
  close(counter)
  send('reset after close', counter, { kind = 'reset' })
  stop()
end

local succeeded, problem = pcall(run)
if not succeeded then
  io.stderr:write(tostring(problem), '\n')
  vim.cmd('cquit 1')
end
vim.cmd('qall!')
