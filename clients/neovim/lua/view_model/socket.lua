-- A server that listens, on TCP or on a Unix socket.
--
-- `vim.lsp.rpc.connect` isn't there in Neovim 0.7, knows no Unix sockets before 0.10, and doesn't tell its caller that
-- a connection was refused. So this is one small way for all versions.

local framing = require('view_model.framing')
local uv = vim.uv or vim.loop

local M = {}

-- Calls `on_stream` with a stream that is connected, or `on_failure` with the reason.
local function dial(address, on_stream, on_failure)
  local function connected(stream)
    return function(problem)
      if not problem then return on_stream(stream) end
      stream:close()
      on_failure(problem)
    end
  end
  if address:find('/', 1, true) then
    local pipe = uv.new_pipe(false)
    return pipe:connect(address, connected(pipe))
  end
  local host, port = address:match('^%[?(.-)%]?:(%d+)$')
  if not host then return on_failure('not HOST:PORT, nor the path of a Unix socket') end
  uv.getaddrinfo(host, nil, { socktype = 'stream' }, function(problem, found)
    if problem or not found[1] then return on_failure(problem or 'no such host') end
    local tcp = uv.new_tcp()
    tcp:connect(found[1].addr, tonumber(port), connected(tcp))
  end)
end

-- Connects. `on` and what is returned are as those of `process.start`.
function M.connect(address, on)
  local stream
  local is_closed = false
  local last_id = 0
  local callbacks = {}

  local function drop()
    is_closed = true
    callbacks = {}
    if stream and not stream:is_closing() then stream:close() end
  end

  local function lose(reason)
    if is_closed then return end
    drop()
    on.closed(('no connection to %s: %s'):format(address, reason))
  end

  local function send(message)
    if is_closed or not stream then return end
    message.jsonrpc = '2.0'
    stream:write(framing.frame(vim.json.encode(message)))
  end

  local function answer_request(message)
    if message.method == 'ping' then return send({ id = message.id, result = vim.NIL }) end
    send({ id = message.id, error = { code = -32601, message = 'no such method: ' .. message.method } })
  end

  local function take_answer(message)
    local callback = callbacks[message.id]
    callbacks[message.id] = nil
    if callback then callback(message.error, message.result) end
  end

  local function handle(message)
    if is_closed then return end
    if message.method and message.id then
      answer_request(message)
    elseif message.method then
      on.notification(message.method, message.params)
    elseif message.id then
      take_answer(message)
    end
  end

  local read = framing.reader(function(text)
    local message = vim.json.decode(text, { luanil = { object = true } })
    vim.schedule(function() handle(message) end)
  end)

  local function opened(connected_stream)
    stream = connected_stream
    if is_closed then return stream:close() end
    stream:read_start(function(problem, bytes)
      on.heard()
      local is_readable, unreadable = true, nil
      if bytes then is_readable, unreadable = pcall(read, bytes) end
      if bytes and is_readable then return end
      vim.schedule(function() lose(unreadable or problem or 'the server closed it') end)
    end)
    vim.schedule(function() if not is_closed then on.opened() end end)
  end

  dial(address, opened, vim.schedule_wrap(lose))

  local transport = { close = drop }

  function transport.request(method, params, callback)
    last_id = last_id + 1
    callbacks[last_id] = callback
    send({ id = last_id, method = method, params = params })
    return last_id
  end

  function transport.notify(method, params) send({ method = method, params = params }) end

  return transport
end

return M
