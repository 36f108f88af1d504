-- Notices that the other side doesn't answer: a server that was stopped, or a link whose other end is gone, says
-- nothing. While something is unanswered, a question is sent every five seconds that any server answers at once: it
-- doesn't answer where nothing at all is heard until the next. What the answer says is up to who asks.

local uv = vim.uv or vim.loop

local Watch = {}
Watch.__index = Watch

local patience = 5000 -- ms

local function now() return uv.hrtime() / 1e6 end

-- `on` has `is_waiting()`, whether something is unanswered; `ask()`, which sends the question; `silent()`, called when
-- there is no answer; and `answers()`, called when there is something again.
function Watch.new(on)
  return setmetatable({
    on = on, heard_at = 0, since = 0, is_asked = false, is_silent = false, run = 0, is_running = false,
  }, Watch)
end

-- Something is sent that will be answered. To be called before it counts as unanswered.
function Watch:begin()
  if not self.on.is_waiting() then self.since, self.is_asked = now(), false end
  if self.is_running then return end
  self.is_running = true
  self:look_in(patience)
end

-- The connection is another one, or none.
function Watch:stop()
  self.run, self.is_running = self.run + 1, false
  self.is_asked, self.is_silent = false, false
end

-- Bytes came. May be called anywhere, and is cheap.
function Watch:touch() self.heard_at = now() end

-- A message came.
function Watch:heard()
  self:touch()
  if not self.is_silent then return end
  self.is_asked, self.is_silent = false, false
  self.on.answers()
end

function Watch:look_in(time)
  local run = self.run
  vim.defer_fn(function() if self.run == run then self:look() end end, math.max(1, math.ceil(time)))
end

function Watch:look()
  if not self.on.is_waiting() then return self:stop() end
  local left = patience - (now() - self.since) -- since the last question, or since something is unanswered
  if left > 0 then return self:look_in(left) end
  if not self.is_asked or self.heard_at > self.since then
    self.since, self.is_asked = now(), true
    self.on.ask()
  elseif not self.is_silent then
    self.is_silent = true
    self.on.silent()
    if not self.is_silent then return end -- the connection was given up
  end
  self:look_in(patience)
end

return Watch
