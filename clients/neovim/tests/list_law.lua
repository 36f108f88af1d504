-- Lists of a view and a server that is made up: whatever happens in whatever order, the rows that are here are those of
-- the list's last event, one request is on its way at a time, and those on screen are here in the end.
--
-- Run by `tests/run`, with the number of walks.

local Lists = require('view_model.lists')
local shapes = require('view_model.list_shapes')

local World = {}
World.__index = World

local function copy(rows) return vim.list_slice(rows) end

function World.new(seed)
  math.randomseed(seed)
  local world = setmetatable({
    rows = {}, next_id = 1, seq = 0, history = {}, -- of the server
    up = {}, down = {}, seen = 0, open_requests = 0, -- on the way
    cursor_id = nil, -- of the row that the cursor must stay with
    failing = nil, -- how the server gives no rows for now: by an 'error', or by 'none'
  }, World)
  world.view = {
    state = 'live',
    session = 1,
    say = function(_, text) assert(text == 'no rows', text) end,
    client = {
      limits = { rows = 30 },
      request = function(_, _, params, callback) return world:take(params, callback) end,
      notify = function(_, _, params) world:cancel(params.id) end,
    },
  }
  world.lists = Lists.new(world.view, function() end)
  world.list = world.lists:named('rows')
  world:push({ kind = 'rows', count = 0 })
  return world
end

-- The server

function World:row()
  self.next_id = self.next_id + 1
  return { id = self.next_id }
end

function World:push(event)
  self.seq = self.seq + 1
  self.history[self.seq] = { rows = copy(self.rows), event = event }
  table.insert(self.down, { seq = self.seq, event = event })
end

function World:page(first, count)
  return vim.list_slice(self.rows, first + 1, math.min(#self.rows, first + count))
end

function World:edit()
  local edits = {}
  for _ = 1, math.random(3) do
    local at = math.random(0, #self.rows)
    local removed = math.min(math.random(0, 4), #self.rows - at)
    local inserted = math.random(0, 5)
    for _ = 1, removed do
      if table.remove(self.rows, at + 1).id == self.cursor_id then self.cursor_id = nil end
    end
    for _ = 1, inserted do table.insert(self.rows, at + 1, self:row()) end
    table.insert(edits, { at = at, removed = removed, inserted = inserted })
  end
  local first = math.random(0, #self.rows)
  local has_rows = math.random(2) == 1
  self:push({
    kind = 'rows', count = #self.rows, changes = edits,
    first = has_rows and first or nil, rows = has_rows and self:page(first, math.random(0, 20)) or nil,
  })
end

function World:reset()
  self.cursor_id = nil
  self.rows = {}
  for _ = 1, math.random(0, 200) do table.insert(self.rows, self:row()) end
  self:push({ kind = 'rows', count = #self.rows })
end

function World:clear()
  self.cursor_id = nil
  local count = #self.rows
  self.rows = {}
  self:push({ kind = 'rows', count = 0, changes = { { at = 0, removed = count, inserted = 0 } } })
end

function World:take(params, callback)
  self.open_requests = self.open_requests + 1
  assert(self.open_requests == 1, 'one request at a time')
  assert(params.count > 0 and params.count <= 30 and params.session == self.view.session, vim.inspect(params))
  self.last_request = (self.last_request or 0) + 1
  table.insert(self.up, { id = self.last_request, params = params, callback = callback })
  return self.last_request
end

function World:cancel(id)
  for _, request in ipairs(self.up) do
    if request.id == id then request.is_cancelled = true end
  end
end

function World:answer()
  local request = table.remove(self.up, 1)
  if not request then return end
  if request.is_cancelled then
    return table.insert(self.down, { callback = request.callback, err = { code = -32800, message = 'cancelled' } })
  end
  if self.failing == 'error' then
    return table.insert(self.down, { callback = request.callback, err = { code = -32014, message = 'no rows' } })
  end
  local first = math.min(request.params.first, #self.rows)
  local count = math.random(4) == 1 and math.random(request.params.count) or request.params.count
  if self.failing == 'none' then count = 0 end
  table.insert(self.down, { callback = request.callback, result = {
    seq = self.seq, count = #self.rows, first = first, rows = self:page(first, count),
  } })
end

-- The client

function World:deliver()
  local message = table.remove(self.down, 1)
  if not message then return end
  if message.event then
    self.seen = message.seq
    self.lists:event(message.event, message.seq)
  else
    self.open_requests = 0
    message.callback(message.err, message.result)
  end
end

function World:show()
  local count = math.random(0, 25)
  self.list:show(math.random(0, math.max(0, self.list.count - count)), count)
end

function World:fail() self.failing = math.random(2) == 1 and 'error' or 'none' end

function World:place()
  self.cursor_id = nil
  if self.seen ~= self.seq or self.list.count == 0 then return end
  local index = math.random(0, self.list.count - 1)
  self.list:move(self.list.cursor, index)
  local row = self.list:row(index)
  self.cursor_id = row and row.id
end

-- A cut, and a return, to which late answers come, by the events that were missed or by a snapshot.
function World:cut()
  self.view.state = 'lost'
  self.lists:left()
  self:answer()
  local late = self.down
  self.up, self.open_requests = {}, 0
  if math.random(2) == 1 then self:edit() end
  if math.random(3) == 1 then self:clear() end
  self.down = {}
  self.view.session = self.view.session + 1
  if math.random(2) == 1 then
    self.cursor_id = nil
    self.seen = self.seq
    self.lists:snapshot(#self.rows > 0 and { { kind = 'rows', count = #self.rows } } or {}, self.seq)
  else
    for seq = self.seen + 1, self.seq do table.insert(self.down, { seq = seq, event = self.history[seq].event }) end
  end
  self.view.state = 'live'
  self.lists:attached()
  for _, message in ipairs(late) do
    if message.callback then message.callback(message.err, message.result) end
  end
end

-- What must be so

function World:check()
  local truth = self.seen > 0 and self.history[self.seen].rows or {}
  assert(self.list.count == #truth, 'the count')
  local held = 0
  for index, row in pairs(self.list.rows) do
    held = held + 1
    assert(truth[index + 1] and truth[index + 1].id == row.id, ('the row at %d'):format(index))
  end
  assert(held == self.list.held, 'how many rows are here')
  for _, anchor in ipairs({ self.list.top, self.list.cursor }) do
    assert(anchor.index >= 0 and anchor.index <= math.max(0, #truth - 1), 'a place in the list')
  end
  if self.cursor_id and self.seen == self.seq then
    assert(truth[self.list.cursor.index + 1].id == self.cursor_id, 'the cursor stays with its row')
  end
end

-- All that is on the way arrives, which must come to an end.
function World:calm()
  for _ = 1, 500 do
    if #self.up + #self.down == 0 then return end
    self:answer()
    self:deliver()
    self:check()
  end
  error('it asks again and again')
end

function World:settle()
  self:calm()
  self.failing = nil
  self.list:attached()
  self:calm()
  local window = self.list.window
  for index = window.first, math.min(window.first + window.count, self.list.count) - 1 do
    assert(self.list:row(index), ('the row at %d is here in the end'):format(index))
  end
end

local steps = {
  World.edit, World.answer, World.answer, World.answer, World.deliver, World.deliver, World.deliver, World.deliver,
  World.show, World.show, World.place,
}

local function walk(seed)
  local world = World.new(seed)
  for step = 1, 120 do
    local act = steps[math.random(#steps)]
    if step % 40 == 7 then act = World.reset elseif step % 50 == 30 then act = World.cut end
    if step % 30 == 20 then act = World.fail end
    act(world)
    world:check()
    if step % 30 == 0 then world:settle() end
  end
  world:settle()
end

local function garbage()
  local odd = {
    { kind = 'rows' }, { kind = 'rows', count = -1 }, { kind = 'rows', count = 0.5 }, { kind = 'rows', count = 'many' },
    { kind = 'rows', count = 1, changes = 3 }, { kind = 'rows', count = 1, changes = { { at = 0 } } },
    { kind = 'rows', count = 1, rows = { {} } }, { kind = 'rows', count = 1, first = 0, rows = 7 },
    { kind = 'rows', count = 1, other = true }, { count = 1 }, 3,
  }
  for _, event in ipairs(odd) do assert(shapes.change(event) == nil, vim.inspect(event)) end
  assert(shapes.index_after({ { at = 3, removed = 0, inserted = 2 } }, 3) == 5, 'a row behind what came is kept')
  local world = World.new(1)
  world.lists:event({ kind = 'rows', count = 4, changes = { { at = 9, removed = 9, inserted = 1 } } }, 2)
  assert(world.list.count == 4 and world.list.held == 0, 'edits that make no sense are none')
  world.lists:event({ kind = 'rows', count = 2, first = 1, rows = { { id = 1 }, { id = 2 }, { id = 3 } } }, 3)
  assert(world.list:row(1).id == 1 and world.list.held == 1, 'rows beyond the end are left out')
end

return function(walks)
  garbage()
  for seed = 1, walks do
    local is_right, problem = xpcall(walk, debug.traceback, seed)
    if not is_right then error(('walk %d: %s'):format(seed, problem), 0) end
  end
end
