-- A server that Neovim starts, over its standard input and output, by Neovim's own client for language servers.

local rpc = require('vim.lsp.rpc')

local M = {}

local cancelled = { code = -32800, message = 'cancelled' }

local function answer(method)
  if method == 'ping' then return vim.NIL end
  return nil, rpc.rpc_response_error(-32601)
end

-- Before 0.10 the program and its arguments are given apart.
local function spawn(command, dispatchers)
  -- Neovim would say so itself, in a message that has to be answered.
  if vim.fn.executable(command[1]) == 0 then return nil end
  if vim.fn.has('nvim-0.10') == 1 then return rpc.start(command, dispatchers) end
  return rpc.start(command[1], vim.list_slice(command, 2), dispatchers)
end

-- Starts it. `on` has `opened()`, `notification(method, params)` and `closed(reason)`, all called on the main loop, and
-- `heard()`, called anywhere when bytes come (but not here, where Neovim doesn't tell).
-- The returned object has `request(method, params, callback)`, which returns the request's id, `notify(method, params)`
-- and `close()`.
function M.start(command, on)
  local name = vim.fn.fnamemodify(command[1], ':t')
  local is_closed = false
  local function close(reason)
    if is_closed then return end
    is_closed = true
    on.closed(reason)
  end

  local has_started, server = pcall(spawn, command, {
    notification = function(method, params) if not is_closed then on.notification(method, params) end end,
    server_request = answer,
    on_exit = vim.schedule_wrap(function(status, signal)
      local cause = signal ~= 0 and ('signal %d'):format(signal) or ('status %d'):format(status)
      close(('the server "%s" ended with %s'):format(name, cause))
    end),
  })
  if not has_started or not server then
    vim.schedule(function() close(('the server "%s" could not be started'):format(name)) end)
    return { request = function() end, notify = function() end, close = function() is_closed = true end }
  end
  vim.schedule(on.opened)

  local transport = {}

  function transport.request(method, params, callback)
    local is_answered = false
    local function finish(err, result)
      if is_answered or is_closed then return end
      is_answered = true
      callback(err, result)
    end
    -- Neovim never runs the callback of a request that was answered with "cancelled". That there was an answer is all
    -- it tells; any other answer's callback is already in the queue then, and comes before what is scheduled now.
    local _, id = server.request(method, params, finish, function()
      vim.schedule(function() finish(cancelled) end)
    end)
    return id
  end

  function transport.notify(method, params) server.notify(method, params) end

  -- The end of its input ends the server.
  function transport.close()
    is_closed = true
    if server.terminate then server.terminate() elseif not server.handle:is_closing() then server.handle:kill(15) end
  end

  return transport
end

return M
