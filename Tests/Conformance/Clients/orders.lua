-- A session with the orders from Neovim, by nothing but the LSP client that it ships:
--
--   COMMAND='view-model-server --stdio' nvim --headless -u NONE -S Tests/Conformance/Clients/orders.lua
--
-- Prints what it sees, a line each.

local patience = 120000 -- ms

local function say(...)
  io.stdout:write(string.format(...), '\n')
  io.stdout:flush()
end

local function wait_until(what, is_so)
  if not vim.wait(patience, is_so, 5) then error('timed out: ' .. what) end
end

local function on_event(_, params)
  local event = params.event
  local text = event.kind == 'orders' and ('%d orders'):format(event.count) or tostring(event.value)
  say('session %d event %d: %s %s', params.session, params.seq, params.event.kind, text)
end

local function on_push(_, params)
  say('session %d event %d: navigation/push %s', params.session, params.seq, params.viewModel)
end

local client
local exit_status

local function start()
  local id = vim.lsp.start_client({
    name = 'view models',
    cmd = vim.split(vim.env.COMMAND, ' '),
    handlers = { ['viewModel/event'] = on_event, ['navigation/push'] = on_push },
    on_init = function(started) client = started end,
    on_exit = function(status) exit_status = status end,
  })
  assert(id, 'no server was started')
  wait_until('initialize', function() return client ~= nil end)
  say('initialize: done')
end

local function request(method, params)
  local answer
  client.rpc.request(method, params, function(err, result)
    say('%s: %s', method, err and ('error %d: %s'):format(err.code, err.message) or 'done')
    answer = { result = result }
  end)
  wait_until(method, function() return answer ~= nil end)
  return answer.result
end

local function run()
  start()
  local orders = request('session/open', { viewModel = 'orders', arguments = { count = 3, delay = 0.05 } }).session
  for _, event in ipairs({ { kind = 'loadOrders' }, { kind = 'selectOrder', index = 1 }, { kind = 'selectOrder', index = 7 } }) do
    request('view/event', { session = orders, event = event })
  end
  request('session/close', { session = orders })
  request('shutdown')
  client.rpc.notify('exit')
  wait_until('exit', function() return exit_status ~= nil end)
  say('ended with status %d', exit_status)
end

local succeeded, problem = pcall(run)
if not succeeded then
  io.stderr:write(tostring(problem), '\n')
  vim.cmd('cquit 1')
end
vim.cmd('qall!')
