-- One view model as this editor sees it: its session, what it said, and what it shows on top of itself. Knows nothing
-- of buffers and windows: an observer is called when a view must be painted or arranged again.

local Client = require('view_model.client')
local Lists = require('view_model.lists')
local Outbox = require('view_model.outbox')
local Unsent = require('view_model.unsent')
local json_text = require('view_model.json_text')
local views = require('view_model.views')

local View = {
  -- The observer, which shows views; `chosen` is called when it is known how a view looks, and `unsent` with an event
  -- that no buffer is left for.
  observer = { changed = function() end, arranged = function() end, chosen = function() end, unsent = function() end },
}
View.__index = View

local unknown_session, request_cancelled, invalid_params = -32012, -32800, -32602
local limit_exceeded, store_unavailable = -32015, -32016

local reasons = {
  closed = 'it was closed',
  dismissed = 'it was dismissed',
  popped = 'it was taken off',
  failed = 'the view model failed',
  serverShutdown = 'the server was shut down',
}

-- A view of the view model `about.name`, to be opened with `about.arguments`; or one that `about.host` shows, to be
-- attached to with `about.key`, where `about.is_presented` is whether it is over its host and not on its stack.
-- `about.type`, if given, is how it looks whatever views the user has, and `about.observer` shows it, with all that it
-- shows, instead of the usual one. Such a type has the `model_type` of its view models, and the types of `children`.
--
-- `state` is 'opening', 'live', 'lost' (the connection, for now) or 'ended'.
function View.new(client, about)
  local view = setmetatable({
    client = client,
    name = about.name,
    arguments = about.arguments,
    host = about.host,
    is_presented = about.is_presented or false,
    observer = about.observer,
    type = about.type or views.of(about.name, client.types[about.name]),
    unsent = Unsent.new(), -- of a root, for all that it shows
  }, View)
  view:forget()
  view.key = about.key
  return view
end

local function changed(view) view:root().observer.changed(view) end
local function arranged(view) view:root().observer.arranged(view:root()) end

-- Back to where it knows nothing but what wasn't sent.
function View:forget()
  self.state = 'opening'
  self.problem = nil -- why it ended
  self.message = nil -- a problem, for the user
  self.failure = nil -- an error of the code that shows it
  self.key, self.session = nil, nil
  self.once = Outbox.random_name() -- by which the server knows an open that it answered before
  self.seq = 0 -- the newest number seen
  self.outbox = Outbox.new()
  self.model = self.type.new()
  self.lists = Lists.new(self, function() changed(self) end)
  -- Sections of lists, as they were painted last, and the name of the list that the cursor is in.
  self.sections, self.section = {}, nil
  self.lines_below = 0 -- how many lines follow those of the view itself
  self.stack, self.presented = {}, nil
end

-- Chooses how it looks, now that the server has told the types of its view models.
function View:choose()
  if self.type.model_type then return end
  local chosen = views.of(self.name, self.client.types[self.name])
  if chosen == self.type then return end
  self.type, self.model = chosen, chosen.new()
  View.observer.chosen(self)
end

-- Takes an event. The user's own code may fail at it.
function View:apply(event)
  local is_done, problem = pcall(self.type.apply, self.model, event)
  if not is_done then self.failure = tostring(problem) end
end

-- The view at the bottom of everything that is on screen with this one.
function View:root() return self.host and self.host:root() or self end

-- The topmost of its stack.
function View:top() return self.stack[#self.stack] or self end

function View:each_child(act)
  for _, child in ipairs(vim.list_slice(self.stack)) do act(child) end
  if self.presented then act(self.presented) end
end

-- Calls `act` with this view and all that it shows.
function View:each_view(act)
  act(self)
  self:each_child(function(child) child:each_view(act) end)
end

-- Opening and attaching

-- Opens it, again where it ended.
function View:open()
  self:forget()
  self.is_new = true
  table.insert(self.client.roots, self)
  if self.client.state == 'open' then self:resume() else self.client:connect() end
  changed(self)
end

-- Makes itself known on a connection that is open.
function View:resume()
  if self.state == 'ended' then return end
  if self.key then self:attach() else self:request_open() end
end

-- Asks for the view model's contract, which is needed without a connection too.
function View:describe(act)
  self.client:request('viewModel/describe', { viewModel = self.name }, function(err, result)
    if result then
      self.description = result
      changed(self)
    end
    if act then act(err) end
  end)
end

function View:request_open()
  local wanted = self.type.model_type
  if wanted and self.client.types[self.name] ~= wanted then
    return self:finish(('the server has no %s'):format(wanted))
  end
  self:choose()
  if self.type.wants_description then self:describe() end
  local params = {
    viewModel = self.name, arguments = self.arguments, client = self.outbox.client_name, once = self.once,
  }
  self.client:request('session/open', params, function(err, result)
    -- Where the answer was lost, the same is asked for again.
    if err and err.code == Client.lost then return end
    if self.state == 'ended' then
      return result and self.client:request('session/close', { session = result.session })
    end
    if err then return self:finish(err.message) end
    self.key = result.key
    self:go_live(result.session)
  end)
end

function View:attach()
  if self.type.wants_description and not self.description then self:describe() end
  -- One that saw nothing wants all there is, which a snapshot may tell more shortly.
  local since = self.seq > 0 and self.seq or nil
  local params = { key = self.key, client = self.outbox.client_name, since = since }
  self.attachings = (self.attachings or 0) + 1
  local attaching = self.attachings
  self.client:request('session/attach', params, function(err, result)
    if self.state == 'ended' or err and err.code == Client.lost then return end
    if err then return self:attach_failed(err, attaching) end
    if result.snapshot then self:replace(result.snapshot, result.seq) end
    self:arrange_as(result.navigation or {})
    self.outbox:forget_handled(result.handled or 0)
    self:go_live(result.session)
  end)
end

function View:attach_failed(err, attaching)
  if err.code == store_unavailable then
    -- The session is there, and can't be read just now. A connection that is lost meanwhile attaches anew by itself.
    self:say(err.message)
    return vim.defer_fn(function()
      if self.state ~= 'ended' and self.client.state == 'open' and self.attachings == attaching then self:attach() end
    end, err.data and err.data.retryAfterMs or 1000)
  end
  if err.code == unknown_session then return self:finish('its session is gone') end
  self:finish(err.message)
end

function View:replace(snapshot, seq)
  self.model = self.type.new()
  self.lists:snapshot(snapshot, seq)
  for _, event in ipairs(snapshot) do self:apply(event) end
  self.seq = seq
end

function View:go_live(session)
  self.session, self.state, self.message = session, 'live', nil
  self.client.by_session[session] = self
  for _, numbered in ipairs(self.outbox.events) do self:submit(numbered) end
  self.lists:attached()
  if self.is_new and self.type.opened then
    local is_done, problem = pcall(self.type.opened, self)
    if not is_done then self.failure = tostring(problem) end
  end
  self.is_new = false
  changed(self)
end

-- The view's events

-- Sends an event, at once or as soon as there is a connection: once, whatever happens to the connection. Where it fails
-- the view says so, unless `is_quiet`.
function View:send(event, is_quiet)
  if self.state == 'ended' then return self:say('not sent: ' .. json_text.event(event)) end
  self.message = nil
  if self:root().unsent:forget_oldest(self:label(), event.kind) then self:root():each_view(changed) end
  local numbered = self.outbox:add(event)
  numbered.is_quiet = is_quiet
  if self.state == 'live' then self:submit(numbered) end
  changed(self)
end

-- Sends an event that the user was asked for. Its session may have ended meanwhile.
function View:send_typed(event)
  if self.state == 'ended' then return self:keep_unsent(event, false) end
  self:send(event)
end

function View:submit(numbered)
  local session = self.session
  numbered.session, numbered.was_sent = session, true
  local params = { session = session, event = numbered.event, number = numbered.number }
  numbered.request = self.client:request('view/event', params, function(err)
    self:answered(numbered, err, numbered.session == session)
  end)
end

-- Takes an answer. Where it isn't the newest one to come, the event was sent again since, or will be.
function View:answered(numbered, err, is_newest)
  local code = err and err.code
  if code == Client.lost then
    numbered.request, numbered.session = nil, nil
    if self.state == 'ended' then self:give_back() end
  elseif code == unknown_session then
    if is_newest then self:came_too_late(numbered) end
  elseif code == invalid_params and err.data and err.data.path == '/number' then
    if is_newest then self:attach_again() end -- one before it wasn't taken
  elseif code == limit_exceeded or code == store_unavailable then
    if not self.outbox:take_back_number(numbered) and self.state == 'live' then self:attach_again() end
    self:keep_unsent(numbered.event, false)
    self:say(err.message)
  else
    self.outbox:remove(numbered)
    if code == request_cancelled then
      -- What the user didn't stop gave way to a newer event.
      if numbered.is_stopped then self:say('stopped') end
    elseif err and not numbered.is_quiet then
      self:say(err.message)
    end
    changed(self)
  end
end

-- Asks the server to stop what it does for this view's events.
function View:cancel()
  for _, numbered in ipairs(self.outbox.events) do
    if numbered.request then
      numbered.is_stopped = true
      self.client:notify('$/cancelRequest', { id = numbered.request })
    end
  end
end

-- How many events wait for a connection or a session; those on their way don't.
function View:waiting_count()
  return (self.state == 'opening' or self.state == 'lost') and #self.outbox.events or 0
end

-- Events that weren't sent

-- The name under which unsent events of this view are kept, and found again when it is opened anew.
function View:label() return self.host and self:title() or self.name end

-- Gives back what waits, where the session has ended. Events on their way will be answered.
function View:give_back()
  for _, numbered in ipairs(self.outbox:take_idle()) do self:keep_unsent(numbered.event, numbered.was_sent) end
end

-- An event reached the server after its session's end.
function View:came_too_late(numbered)
  self.outbox:remove(numbered)
  local root = self:root()
  if root.is_left then return end
  -- A key was pressed twice, say. There is no text to be kept.
  if json_text.content(numbered.event) == nil then return root:say('too late for ' .. numbered.event.kind) end
  self:keep_unsent(numbered.event, false)
end

-- Keeps an event for the user to see and to send again. `was_sent` is whether it was, and no answer came.
function View:keep_unsent(event, was_sent)
  local root = self:root()
  if root.is_left then return root.observer.unsent(self:label(), event) end
  root.unsent:add(self:label(), event, was_sent)
  root:each_view(changed)
end

-- The oldest unsent event of this kind, or nil.
function View:oldest_unsent(kind) return self:root().unsent:oldest(self:label(), kind) end

-- Forgets all that wasn't sent.
function View:forget_unsent()
  self:root().unsent = Unsent.new()
  self:root():each_view(changed)
end

-- Says something to the user, until the next thing is done.
function View:say(text)
  self.message = text
  changed(self)
end

-- Events of the view model

local on = {}

on['viewModel/event'] = function(view, params)
  view.lists:event(params.event, params.seq)
  view:apply(params.event)
  changed(view)
end

on['navigation/push'] = function(view, params) view:show_child(params, false) end
on['navigation/present'] = function(view, params) view:show_child(params, true) end
on['navigation/pop'] = function(view, params) view:remove_child(params.key) end
on['navigation/dismiss'] = on['navigation/pop']

-- Takes a notification of this view's session.
function View:take(method, params)
  if method == 'session/closed' then return self:closed(params.reason) end
  if not params.seq or params.seq <= self.seq then return end
  if params.seq ~= self.seq + 1 and params.after ~= self.seq then return self:attach_again() end
  self.seq = params.seq
  if on[method] then on[method](self, params) end
end

-- Something was lost on the way: asks for all that came since.
function View:attach_again()
  self.client.by_session[self.session] = nil
  self.client:request('session/detach', { session = self.session })
  self.session, self.state = nil, 'lost'
  self.outbox:forget_requests()
  self.lists:left()
  self:attach()
  changed(self)
end

function View:closed(reason)
  self.client.by_session[self.session] = nil
  if reason == 'overflow' then
    self.session, self.state = nil, 'lost'
    self.outbox:forget_requests()
    self.lists:left()
    return self:attach()
  end
  self:finish(reasons[reason] or reason)
end

-- What it shows

-- The list of this name, whose rows are asked for when it is told which are on screen.
function View:list(name) return self.lists:named(name) end

function View:title()
  local is_done, title = pcall(self.type.title, self)
  return is_done and title or self.name
end

-- The lines of the view itself; none where the user's own code fails, and `failure` says why.
function View:lines()
  local is_done, lines = pcall(self.type.lines, self)
  if is_done then return lines end
  self.failure = tostring(lines)
  return {}
end

-- Its children

function View:add_child(about, is_presented)
  local child = View.new(self.client, {
    name = about.viewModel, key = about.key, host = self, is_presented = is_presented,
    type = self.type.children and self.type.children[about.viewModel],
  })
  if is_presented then self.presented = child else table.insert(self.stack, child) end
  child:attach()
end

function View:show_child(about, is_presented)
  self:add_child(about, is_presented)
  arranged(self)
end

function View:remove_child(key)
  self:each_child(function(child)
    if child.key == key then child:finish(reasons.popped) end
  end)
end

function View:take_off(child)
  self.stack = vim.tbl_filter(function(other) return other ~= child end, self.stack)
  if self.presented == child then self.presented = nil end
  arranged(self)
end

-- Brings what is on screen to what the server says it is, and attaches to all of it.
function View:arrange_as(navigation)
  local is_wanted = {}
  for _, about in ipairs(navigation.stack or {}) do is_wanted[about.key] = about end
  if navigation.presented then is_wanted[navigation.presented.key] = navigation.presented end
  self:each_child(function(child)
    if not is_wanted[child.key] then child:finish(reasons.popped) end
  end)
  self:each_child(function(child)
    is_wanted[child.key] = nil
    if child.state ~= 'live' then child:resume() end
  end)
  for _, about in ipairs(navigation.stack or {}) do
    if is_wanted[about.key] then self:add_child(about, false) end
  end
  local presented = navigation.presented
  if presented and is_wanted[presented.key] then self:add_child(presented, true) end
  arranged(self)
end

-- Leaving

-- Goes back from this view, where the view model lets one, and calls `done` once that is known.
function View:back(done)
  done = done or function() end
  if self.state ~= 'live' then
    self:say('there is no connection to go back over')
    done()
    return arranged(self)
  end
  self.message = nil
  changed(self)
  self.client:request('navigation/back', { session = self.session }, function(err)
    if err then self:say(err.data and err.data.refused and "can't go back: " .. err.data.refused or err.message) end
    done()
    arranged(self)
  end)
end

-- Ends the session of a view that was opened.
function View:close()
  self.is_left = true
  if self.state == 'live' and self.client.state == 'open' then
    self.client:request('session/close', { session = self.session })
  end
  self:finish('it was closed')
end

-- The connection is lost, for now.
function View:lose()
  if self.state == 'ended' then return end
  self.session = nil
  self.lists:left()
  if self.state == 'live' then self.message = nil end
  if self.key then self.state = 'lost' end
  self:each_child(function(child) child:lose() end)
  changed(self)
end

-- It is over with this view and all that it shows. One that another shows leaves the screen, too: its session may have
-- ended before the host's own events say so.
function View:finish(problem)
  if self.state == 'ended' then return end
  self.state, self.problem, self.message = 'ended', problem, nil
  self:give_back()
  self.lists:left()
  if self.session then self.client.by_session[self.session] = nil end
  self.client.roots = vim.tbl_filter(function(root) return root ~= self end, self.client.roots)
  self:each_child(function(child) child:finish(problem) end)
  if self.host then
    self.host:take_off(self)
  else
    self.stack, self.presented = {}, nil
    arranged(self)
  end
  changed(self)
end

-- Whether what it shows may be old.
function View:is_stale() return self.state == 'lost' or self.state == 'ended' end

return View
