-- The events of a view for its view model: sent, answered, and kept for the user where they weren't.
-- These are methods of `view_model.view`.

local Client = require('view_model.client')
local Unsent = require('view_model.unsent')
local json_text = require('view_model.json_text')
local unanswered = require('view_model.unanswered')

local M = {}

local unknown_session, request_cancelled, invalid_params = -32012, -32800, -32602
local limit_exceeded, store_unavailable = -32015, -32016

-- Sends an event, at once or as soon as there is a connection: once, whatever happens to the connection. Where it fails
-- the view says so, unless `is_quiet`.
function M:send(event, is_quiet)
  if self:looks_only() then return self:say_looks_only() end
  if self.state == 'ended' then return self:say('not sent: ' .. json_text.event(event)) end
  self.message = nil
  if self:root().unsent:forget_oldest(self:label(), event.kind) then self:root():changed_all() end
  local is_next = not self.outbox:has_idle()
  local numbered = self.outbox:add(event)
  numbered.is_quiet = is_quiet
  numbered.is_unasked = self.is_sending_first
  unanswered.note(self)
  if self.state == 'live' and is_next then self:submit(numbered) end
  self:changed()
end

-- Sends what the view itself has to say to its new session, which nobody typed.
function M:send_first()
  self.is_sending_first = true
  local is_done, problem = pcall(self.type.opened, self)
  self.is_sending_first = false
  if not is_done then self.failure = tostring(problem) end
end

-- Sends an event that the user was asked for. Its session may have ended meanwhile.
function M:send_typed(event)
  if self:looks_only() then return self:say_looks_only() end
  if self.state == 'ended' then return self:keep_unsent(event, false) end
  self:send(event)
end

function M:submit(numbered)
  local session = self.session
  numbered.session, numbered.was_sent = session, true
  local params = { session = session, event = numbered.event, number = numbered.number }
  numbered.request = self.client:request('view/event', params, function(err)
    self:answered(numbered, err, numbered.session == session)
  end)
end

-- Takes an answer. Where it isn't the newest one to come, the event was sent again since, or will be.
function M:answered(numbered, err, is_newest)
  local code = err and err.code
  if code == Client.lost then
    numbered.request, numbered.session = nil, nil
    if self.state == 'ended' then self:give_back() end
  elseif code == unknown_session then
    if is_newest then self:left_unanswered(numbered) end
  elseif code == invalid_params and err.data and err.data.path == '/number' then
    if is_newest then self:attach_again() end -- one before it wasn't taken
  elseif code == store_unavailable or code == limit_exceeded and numbered.was_taken then
    if is_newest then self:send_later(numbered, err) end
  elseif code == limit_exceeded then
    if not self.outbox:take_back_number(numbered) and self.state == 'live' then self:attach_again() end
    self:keep_unsent(numbered.event, false)
    self:say(err.message)
  else
    self.outbox:remove(numbered)
    self.refusal = nil
    if code == request_cancelled then
      -- What the user didn't stop gave way to a newer event.
      if numbered.is_stopped then self:say('stopped') end
    elseif err and not numbered.is_quiet then
      self:say(err.message)
    end
    self:changed()
  end
end

-- The server's store can't take an event now, or the server has no room for the question what came of one that it has
-- taken. What is sent meanwhile waits behind it, since the server wouldn't take a later number.
function M:send_later(numbered, err)
  numbered.request, numbered.session = nil, nil
  numbered.was_sent = numbered.was_taken -- what is refused isn't done
  if self.state == 'ended' then return self:give_back() end
  if err.code == store_unavailable then self.refusal = err.message end
  self:changed()
  local attaching = self.attachings
  vim.defer_fn(function()
    if self.state == 'live' and self.attachings == attaching then self:submit_idle() end
  end, err.data and err.data.retryAfterMs or 1000)
end

function M:submit_idle()
  for _, numbered in ipairs(self.outbox.events) do
    if not numbered.session then self:submit(numbered) end
  end
end

-- Asks the server to stop what it does for this view's events.
function M:cancel()
  for _, numbered in ipairs(self.outbox.events) do
    if numbered.request then
      numbered.is_stopped = true
      self.client:notify('$/cancelRequest', { id = numbered.request })
    end
  end
end

-- Whether nothing is answered for now: there is no connection, the server doesn't answer, or its store can't be used.
function M:is_away()
  return self.state == 'lost' or self.client.state == 'waiting' or self.client:is_silent() or self:stall() ~= nil
end

-- How many events wait for a connection, for a session, for a server that doesn't answer, or for its store. Those on
-- their way don't.
function M:waiting_count()
  local is_waiting = self.state == 'opening' or self:is_away()
  return is_waiting and self.state ~= 'ended' and #self.outbox.events or 0
end

-- What the user did that isn't answered, and wasn't taken back.
function M:unanswered_events()
  return vim.tbl_filter(function(numbered)
    return not (numbered.is_quiet or numbered.is_unasked or numbered.is_stopped)
  end, self.outbox.events)
end

-- Those on their way over which Neovim didn't end.
function M:held()
  if self:waiting_count() > 0 then return {} end
  return vim.tbl_filter(function(numbered) return numbered.is_held end, self.outbox.events)
end

-- Events that weren't sent

-- The name under which unsent events of this view are kept, and found again when it is opened anew.
function M:label() return self.host and self:title() or self.name end

-- Gives back what waits, where the session has ended. Events on their way will be answered.
function M:give_back()
  for _, numbered in ipairs(self.outbox:take_idle()) do self:keep_unsent(numbered.event, numbered.was_sent) end
end

-- The session ended before it answered an event, which may have been running then: nobody knows whether it was done.
function M:left_unanswered(numbered)
  self.outbox:remove(numbered)
  local root = self:root()
  if root.is_left then return end
  -- A key was pressed twice, say. There is no text to be kept.
  if not numbered.was_taken and json_text.content(numbered.event) == nil then
    return root:say(("%s wasn't answered"):format(numbered.event.kind))
  end
  self:keep_unsent(numbered.event, true)
end

-- Keeps an event for the user to see and to send again. `was_sent` is whether it was, and no answer came.
function M:keep_unsent(event, was_sent)
  local root = self:root()
  if root.is_left then return root.observer.unsent(self:label(), event, was_sent) end
  root.unsent:add(self:label(), event, was_sent)
  unanswered.note(root)
  root:changed_all()
end

-- The oldest unsent event of this kind, or nil.
function M:oldest_unsent(kind) return self:root().unsent:oldest(self:label(), kind) end

-- Forgets all that wasn't sent.
function M:forget_unsent()
  self:root().unsent = Unsent.new()
  self:root():changed_all()
end

return M
