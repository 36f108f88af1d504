-- The connection to the server: made when it is needed, made again when it is lost, and shared by all views.

local Outbox = require('view_model.outbox')
local Watch = require('view_model.watch')
local process = require('view_model.process')
local socket = require('view_model.socket')

local Client = {}
Client.__index = Client

-- The code of an error that says that the connection was lost before the answer came.
Client.lost = -1

local first_delay, longest_delay = 100, 5000 -- ms

local most_left = 100 -- sessions that are remembered

-- What servers know this Neovim by, over all connections.
local own_name = Outbox.random_name()

-- A client that isn't connected yet. `state` is 'idle', 'connecting', 'open' or 'waiting' (to try again).
function Client.new(config)
  local client = setmetatable({
    config = config,
    state = 'idle',
    names = {}, -- of the view models that can be opened
    is_durable = false, -- whether the server has a store
    types = {}, -- of all view models that the server told of, by their names
    scopes = {}, -- 'person' or 'everyone', by the names of those that have one
    limits = {}, -- of the server, by their names
    problem = nil, -- why there is no connection
    stall = nil, -- why what the server's store has to take isn't answered, as the server says
    roots = {}, -- the views that aren't shown by another
    numbered = {}, -- the views by the numbers in their names
    left = {}, -- the sessions that were left, or failed, and may go on, newest first: {name, key}
    failed = {}, -- the roots that have ended though their sessions may be kept
    searches = {}, -- those of the finder, by their arguments
    by_session = {}, -- the views by their number on this connection
    waiting = {}, -- what was asked for before the connection was open
    callbacks = {}, -- of the requests that aren't answered
    delay = first_delay,
  }, Client)
  client.watch = Watch.new({
    is_waiting = function() return client:is_waiting() end,
    ask = function()
      client.transport.request('ping', nil, function(_, result)
        client.watch:heard()
        client:set_stall(type(result) == 'table' and result.storeUnavailable or nil)
      end)
    end,
    silent = function() client:fall_silent() end,
    answers = function() client:refresh() end,
  })
  return client
end

-- What servers know a view by. A name is that of one view at a time, so it has a number, the lowest that is free: a
-- session that is shown here again is shown under the same name.
function Client:name_of(view)
  local number = 1
  while self.numbered[number] and self.numbered[number] ~= view do number = number + 1 end
  self.numbered[number] = view
  return ('%s-%d'):format(own_name, number)
end

function Client:free_name_of(view)
  for number, other in pairs(self.numbered) do
    if other == view then self.numbered[number] = nil end
  end
end

-- Remembers a session that may go on, so that its key is offered.
function Client:remember(name, key)
  self.left = vim.tbl_filter(function(one) return one.key ~= key end, self.left)
  table.insert(self.left, 1, { name = name, key = key })
  self.left[most_left + 1] = nil
end

-- A root that had failed is tried again, or is off the screen.
function Client:forget_failed(view)
  self.failed = vim.tbl_filter(function(other) return other ~= view end, self.failed)
end

-- Connects where that isn't done or under way.
function Client:connect()
  if self.state == 'open' or self.state == 'connecting' then return end
  self.watch:begin()
  self.state = 'connecting'
  local transport
  -- A connection that was given up may still have something to say.
  local function only_current(act)
    return function(...) if self.transport == transport then act(self, ...) end end
  end
  local on = {
    opened = only_current(self.initialize),
    heard = function() if self.transport == transport then self.watch:touch() end end,
    notification = only_current(self.take_notification),
    closed = only_current(self.lose),
  }
  if self.config.address then
    transport = socket.connect(self.config.address, on)
  else
    transport = process.start(self.config.command, on)
  end
  self.transport = transport
end

function Client:initialize()
  local version = vim.version()
  self:request('initialize', {
    protocolVersion = '1.2',
    clientInfo = { name = 'Neovim', version = ('%d.%d.%d'):format(version.major, version.minor, version.patch) },
    processId = vim.fn.getpid(),
    token = self.config.token,
    capabilities = vim.empty_dict(),
  }, function(err, result)
    if err and err.code == Client.lost then return end
    if err then return self:refuse(err.message) end
    self.transport.notify('initialized', vim.empty_dict())
    self.state, self.problem, self.delay = 'open', nil, first_delay
    self:learn(result.capabilities)
    self.limits = result.limits or {}
    self:wake()
  end)
end

-- Takes what the server hosts. An older server tells no types and no children.
function Client:learn(capabilities)
  self.names = vim.tbl_map(function(view_model) return view_model.name end, capabilities.viewModels)
  self.is_durable = capabilities.durable == true
  self.types, self.scopes = {}, {}
  for _, list in ipairs({ capabilities.viewModels, capabilities.children or {} }) do
    for _, view_model in ipairs(list) do
      self.types[view_model.name] = view_model.type
      self.scopes[view_model.name] = view_model.scope
    end
  end
end

-- Attaches again what was on screen, and does what waited.
function Client:wake()
  for _, root in ipairs(vim.list_slice(self.roots)) do root:resume() end
  local waiting = self.waiting
  self.waiting = {}
  for _, request in ipairs(waiting) do request.act() end
end

-- The server doesn't answer. An address may be reached anew, which is tried; a server that was started here has all its
-- sessions, and is waited for.
function Client:fall_silent()
  if not self.config.address then return self:refresh() end
  self.transport.close()
  self:lose(("no connection to %s: it doesn't answer"):format(self.config.address))
end

-- Whether what is sent isn't taken for now, though there is a connection.
function Client:is_silent() return self.watch.is_silent end

function Client:is_waiting() return self.state == 'connecting' or #self.callbacks > 0 end

-- The server's store can't be used, which is why something isn't answered, or it can (nil). Where nothing is unanswered,
-- it doesn't matter.
function Client:set_stall(reason)
  if not self:is_waiting() then reason = nil end
  if reason == self.stall then return end
  self.stall = reason
  self:refresh()
end

-- Shows anew how things stand.
function Client:refresh()
  for _, root in ipairs(vim.list_slice(self.roots)) do root:changed_all() end
end

-- A server that doesn't take this client won't take it the next time.
function Client:refuse(reason)
  self.transport.close()
  self.transport = nil
  self:lose(reason, true)
end

function Client:lose(reason, is_final)
  self.transport = nil
  self.watch:stop()
  self.stall = nil
  self.by_session = {}
  self.problem = reason
  local has_ended = is_final or not self.config.address
  self.state = has_ended and 'idle' or 'waiting'
  for _, root in ipairs(vim.list_slice(self.roots)) do
    if not has_ended then
      root:lose()
    elseif self.is_durable then
      root:fail(reason)
    else
      root:finish(reason)
    end
  end
  self:lose_answers(reason)
  local waiting = self.waiting
  self.waiting = {}
  for _, request in ipairs(waiting) do
    if request.fail then request.fail(reason) end
  end
  if self.state == 'waiting' then self:retry() end
end

function Client:lose_answers(reason)
  local callbacks = self.callbacks
  self.callbacks = {}
  for _, callback in ipairs(callbacks) do callback({ code = Client.lost, message = reason }) end
end

function Client:retry()
  if #self.roots == 0 then
    self.state = 'idle'
    return
  end
  vim.defer_fn(function() if self.state == 'waiting' then self:connect() end end, self.delay)
  self.delay = math.min(self.delay * 2, longest_delay)
end

-- Acts as soon as the connection is open; `fail(reason)` is called where none comes about.
function Client:when_open(act, fail)
  if self.state == 'open' then return act() end
  table.insert(self.waiting, { act = act, fail = fail })
  self:connect()
end

-- Sends a request, for which the connection must be open, and returns its id. Where the connection is lost before the
-- answer comes, that is the error, of the code `Client.lost`.
function Client:request(method, params, callback)
  callback = callback or function() end
  self.watch:begin()
  table.insert(self.callbacks, callback)
  return self.transport.request(method, params, function(err, result)
    self:forget_callback(callback)
    self.watch:heard()
    self:set_stall(self.stall)
    callback(err, result)
  end)
end

function Client:forget_callback(callback)
  for index, other in ipairs(self.callbacks) do
    if other == callback then return table.remove(self.callbacks, index) end
  end
end

function Client:notify(method, params)
  if self.state == 'open' then self.transport.notify(method, params) end
end

function Client:take_notification(method, params)
  self.watch:heard()
  local view = params and self.by_session[params.session]
  if view then view:take(method, params) end
end

-- Leaves all sessions, and waits for that half a second at most. What can be found again stays: the server knows which
-- that is.
function Client:shut_down()
  self.watch:stop()
  if self.state ~= 'open' then return end
  local is_done = false
  self.transport.request('shutdown', nil, function() is_done = true end)
  vim.wait(500, function() return is_done end, 5)
end

-- Ends the connection, and with it all views.
function Client:leave()
  local transport = self.transport
  if self.state == 'open' then transport.notify('exit') end
  for _, root in ipairs(vim.list_slice(self.roots)) do root:finish('the connection was closed') end
  self:lose_answers('the connection was closed')
  self.state, self.transport = 'idle', nil
  if transport and self.config.address then transport.close() end
end

return Client
