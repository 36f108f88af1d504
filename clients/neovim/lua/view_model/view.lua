-- One view model as this editor sees it: its session, what it said, and what it shows on top of itself. Knows nothing
-- of buffers and windows: an observer is called when a view must be painted or arranged again.

local Client = require('view_model.client')
local here = require('view_model.here')
local Lists = require('view_model.lists')
local Outbox = require('view_model.outbox')
local Unsent = require('view_model.unsent')
local views = require('view_model.views')

local View = {
  -- The observer, which shows views; `chosen` is called when it is known how a view looks, and `unsent` with an event
  -- that no buffer is left for.
  observer = { changed = function() end, arranged = function() end, chosen = function() end, unsent = function() end },
}
View.__index = View

-- What it does with its events, and with its children.
for name, method in pairs(require('view_model.view_events')) do View[name] = method end
for name, method in pairs(require('view_model.view_children')) do View[name] = method end

local unknown_session, store_unavailable = -32012, -32016

local reasons = {
  closed = 'it was closed',
  dismissed = 'it was dismissed',
  popped = 'it was taken off',
  failed = 'the view model failed',
  replaced = 'it is shown elsewhere',
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
    unanswered = 0, -- how many of its requests are, without its events
    asked = nil, -- the `once` of the newest open; nil where its session was never opened here
  }, View)
  view:forget()
  view.key = about.key
  return view
end

local function changed(view) view:root().observer.changed(view) end
local function arranged(view) view:root().observer.arranged(view:root()) end

-- What is on screen is another.
function View:arranged() arranged(self) end

-- Back to where its connection is lost, and it has nothing to send: what it showed stays, and is gone on with.
function View:retry()
  self.state = 'lost'
  self.problem = nil -- why it ended
  self.message = nil -- a problem, for the user
  self.refusal = nil -- the server's store can't be used, so that it is attached to, or sent its events, a little later
  self.session = nil
  self.was_replaced = false -- whether one has taken its place on this connection, from which it came back
  self.may_be_kept = false -- whether it ended while its session may go on later
  self.client:forget_failed(self)
  self.attachings = (self.attachings or 0) + 1 -- what waits to be tried again is over with the next one
  self.outbox = Outbox.new(self.client:name_of(self))
end

-- Back to where it knows nothing but what wasn't sent.
function View:forget()
  self:retry()
  self.state = 'opening'
  self.failure = nil -- an error of the code that shows it
  self.key, self.epoch = nil, nil
  self.is_replaced = false -- whether another view has taken the place of this one
  self.access, self.here = nil, nil -- what the key allows, and who else is here, in words
  self.once = Outbox.random_name() -- by which the server knows an open that it answered before
  self.seq = 0 -- the newest number seen
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

-- Whether the user has a key with which nothing can be done but look.
function View:looks_only() return self:root().access == 'read' end

-- Refuses what the server would refuse.
function View:say_looks_only() self:say('you may only look at this session') end

-- Whether it is in a buffer, where a person sees it.
function View:is_shown() return self:root().observer == View.observer end

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

-- The key of the session that is there, or may be, though the view has ended; else nil.
function View:kept_key() return (self.is_replaced or self.may_be_kept) and self.key or nil end

-- Opens it, again where it ended. One whose place another has taken is shown again, and one that has failed is tried
-- again: only where its session turns out to be gone is another opened the next time.
function View:open()
  local key = self:kept_key()
  if self.may_be_kept then self:retry() else self:forget() end
  self.key, self.is_new = key, not key
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

-- Sends a request, of which it counts whether it is answered.
function View:ask(method, params, callback)
  self.unanswered = self.unanswered + 1
  self.client:request(method, params, function(err, result)
    self.unanswered = self.unanswered - 1
    if self.client.stall then changed(self) end
    callback(err, result)
  end)
end

-- Why what this view waits for isn't done, where the server's store can't be used; else nil.
function View:stall()
  if self.state == 'ended' then return nil end
  local is_waiting = self.unanswered > 0 or #self.outbox.events > 0
  return self.refusal or is_waiting and self.client.stall or nil
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
    views = self:is_shown() or nil,
  }
  local is_repeated = self.asked == self.once
  self.asked = self.once
  self:ask('session/open', params, function(err, result)
    -- Where the answer was lost, the same is asked for again.
    if err and err.code == Client.lost then return end
    if self.state == 'ended' then return result and self:detach(result.session) end
    if err then return self:finish(err.message) end
    self.key = result.key
    -- One that was found may still be that which was made when the answer was lost.
    self.is_new = result.isNew ~= false or is_repeated
    self:attached(result)
  end)
end

-- Shows the session that has this key, of whatever view model. Calls `done(problem)`, or `done(nil, view)` before that
-- learns what to show.
function View.join(client, key, done)
  local view = View.new(client, { name = '', key = key })
  local params = { key = key, client = view.outbox.client_name, views = true }
  client:request('session/attach', params, function(err, result)
    if err then
      view:finish(err.message)
      return done(err.message)
    end
    view.name = result.viewModel
    view:choose()
    table.insert(client.roots, view)
    if view.type.wants_description then view:describe() end
    done(nil, view)
    view:attached(result)
  end)
end

function View:detach(session) self.client:request('session/detach', { session = session }) end

function View:attach()
  if self.type.wants_description and not self.description then self:describe() end
  -- One that saw nothing wants all there is, which a snapshot may tell more shortly.
  local since = self.seq > 0 and self.seq or nil
  local params = {
    key = self.key, client = self.outbox.client_name, since = since, epoch = since and self.epoch,
    views = self:is_shown() or nil,
  }
  self.attachings = self.attachings + 1
  local attaching = self.attachings
  self:ask('session/attach', params, function(err, result)
    if self.state == 'ended' then return result and self:detach(result.session) end
    if err and err.code == Client.lost then return end
    if err then return self:attach_failed(err, attaching) end
    self:attached(result)
  end)
end

-- Takes the answer to an attach, or to an open, which may have found a session.
function View:attached(result)
  if result.snapshot then self:replace(result.snapshot, result.seq) end
  self.epoch = result.epoch
  self.access = result.access -- 'read' where the key only lets the user look
  self:arrange_as(result.navigation or {})
  -- A session that doesn't know this view can't tell what it has taken of it: to send that again might do it twice.
  -- What isn't shown in a buffer, as a search, has nobody to give it back to, and nothing that mustn't be done twice.
  if not result.handled and self:is_shown() then
    for _, numbered in ipairs(self.outbox:take_sent()) do self:keep_unsent(numbered.event, true) end
  end
  self.outbox:number_from(result.handled or 0)
  self:go_live(result.session)
end

function View:attach_failed(err, attaching)
  if err.code == store_unavailable then
    -- The session is there, and can't be read just now. A connection that is lost meanwhile attaches anew by itself.
    self.refusal = err.message
    changed(self)
    return vim.defer_fn(function()
      if self.state ~= 'ended' and self.client.state == 'open' and self.attachings == attaching then self:attach() end
    end, err.data and err.data.retryAfterMs or 1000)
  end
  if err.code ~= unknown_session then return self:fail(err.message) end
  if self.was_durable and not self.client.is_durable then
    return self:fail("the server has no store now")
  end
  self:finish('its session is gone')
end

function View:replace(snapshot, seq)
  self.model = self.type.new()
  self.lists:snapshot(snapshot, seq)
  for _, event in ipairs(snapshot) do self:apply(event) end
  self.seq = seq
end

function View:go_live(session)
  self.session, self.state, self.message, self.refusal = session, 'live', nil, nil
  self.was_durable = self.client.is_durable -- whether its session may be in a store
  self.client.by_session[session] = self
  for _, numbered in ipairs(self.outbox.events) do self:submit(numbered) end
  self.lists:attached()
  if self.is_new and self.type.opened then self:send_first() end
  self.is_new = false
  changed(self)
end

-- Shows it anew.
function View:changed() changed(self) end

-- Shows it anew, with all that it shows.
function View:changed_all() self:each_view(changed) end

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
  if method == 'session/views' then
    self.here = here.of(params)
    return changed(self)
  end
  if not params.seq or params.seq <= self.seq then return end
  if params.seq ~= self.seq + 1 and params.after ~= self.seq then return self:attach_again() end
  self.seq = params.seq
  if on[method] then on[method](self, params) end
end

-- Something was lost on the way: asks for all that came since.
function View:attach_again()
  self.client.by_session[self.session] = nil
  self:detach(self.session)
  self.session, self.state = nil, 'lost'
  self.outbox:forget_requests()
  self.lists:left()
  self:attach()
  changed(self)
end

function View:closed(reason)
  self.client.by_session[self.session] = nil
  -- By what this client sent on a connection that it gave up, and came late. The second time it is another client.
  local is_late = reason == 'replaced' and not self.was_replaced
  self.was_replaced = self.was_replaced or is_late
  if reason == 'overflow' or is_late then
    self.session, self.state = nil, 'lost'
    self.outbox:forget_requests()
    self.lists:left()
    return self:attach()
  end
  self.is_replaced = reason == 'replaced'
  -- What failed is in the store, where there is one and the view model is durable.
  if reason == 'failed' and self.client.is_durable then return self:fail(reasons.failed) end
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

-- Leaving

-- Goes back from this view, where the view model lets one, and calls `done` once that is known.
function View:back(done)
  done = done or function() end
  if self.state ~= 'live' or self:looks_only() then
    if self:looks_only() then self:say_looks_only() else self:say('there is no connection to go back over') end
    done()
    return arranged(self)
  end
  self.message = nil
  changed(self)
  self:ask('navigation/back', { session = self.session }, function(err)
    if err then self:say(err.data and err.data.refused and "can't go back: " .. err.data.refused or err.message) end
    done()
    arranged(self)
  end)
end

-- The user goes away from this view and all that it shows. Its session goes on.
function View:leave()
  self.is_left = true
  self:detach_all()
  self:finish('it was left')
end

function View:detach_all()
  self:each_view(function(view)
    if view.session and self.client.state == 'open' then view:detach(view.session) end
  end)
end

-- The connection is lost, for now.
function View:lose()
  if self.state == 'ended' then return end
  self.session, self.was_replaced, self.refusal = nil, false, nil
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
  self.client:free_name_of(self)
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

-- It is over with this view for now, and its session may go on later: the user keeps the way back to it. What isn't
-- shown in a buffer, as a search, has nothing to go back to, and what another shows comes back with that.
function View:fail(problem)
  if self.key and not self.host and self.observer == View.observer then
    self.may_be_kept = true
    table.insert(self.client.failed, self)
    self.client:remember(self.name, self.key)
  end
  self:finish(problem)
end

-- Whether what it shows may be old.
function View:is_stale() return self.state == 'lost' or self.state == 'ended' or self.client:is_silent() end

return View
