-- The events of a view that its view model hasn't answered: numbered, so that each can be sent again and is taken once.

local uv = vim.uv or vim.loop

local Outbox = {}
Outbox.__index = Outbox

-- 128 bits at random, as text.
function Outbox.random_name()
  return (uv.random(16):gsub('.', function(byte) return ('%02x'):format(byte:byte()) end))
end

-- `client_name` is what the server knows its events by, over all connections.
function Outbox.new(client_name)
  return setmetatable({ client_name = client_name, number = 0, events = {} }, Outbox)
end

-- Adds an event and returns it with its number. While a request carries it, `request` and `session` say which and to
-- where; `was_sent` is whether one ever did.
function Outbox:add(event)
  self.number = self.number + 1
  local numbered = { event = event, number = self.number, was_sent = false, was_taken = false }
  table.insert(self.events, numbered)
  return numbered
end

function Outbox:remove(numbered)
  self.events = vim.tbl_filter(function(other) return other ~= numbered end, self.events)
end

-- What the server has taken, which is up to the number `handled`, keeps its number: sent again, it is answered, and not
-- done again. The rest is numbered from there. What was never sent wasn't taken: another view of this name may have
-- used its number.
function Outbox:number_from(handled)
  self.number = handled
  for _, numbered in ipairs(self.events) do
    numbered.was_taken = numbered.was_sent and numbered.number <= handled
    if not numbered.was_taken then
      self.number = self.number + 1
      numbered.number = self.number
    end
  end
end

-- The server didn't take an event for want of room, so that its number is free. Returns false where others have come
-- after it, which have to be numbered anew.
function Outbox:take_back_number(numbered)
  self:remove(numbered)
  if numbered.number ~= self.number then return false end
  self.number = self.number - 1
  return true
end

-- Answers to the requests on their way don't count any more.
function Outbox:forget_requests()
  for _, numbered in ipairs(self.events) do numbered.request, numbered.session = nil, nil end
end

-- Takes out the events that were sent, and not answered.
function Outbox:take_sent()
  local sent = vim.tbl_filter(function(numbered) return numbered.was_sent end, self.events)
  self.events = vim.tbl_filter(function(numbered) return not numbered.was_sent end, self.events)
  return sent
end

-- Whether there are events that no request carries.
function Outbox:has_idle()
  return #vim.tbl_filter(function(numbered) return not numbered.session end, self.events) > 0
end

-- Takes out the events that no request carries.
function Outbox:take_idle()
  local idle = vim.tbl_filter(function(numbered) return not numbered.session end, self.events)
  self.events = vim.tbl_filter(function(numbered) return numbered.session end, self.events)
  return idle
end

return Outbox
