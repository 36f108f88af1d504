-- A list of a view model, of any length: the rows that are wanted are here. Indices count from 0, as on the wire.
--
-- The rows are those of one version of the list, that of its last event. An answer may be used when it comes, since it
-- follows the events up to its number and has the rows as they are then.

local Anchor = require('view_model.anchor')
local Client = require('view_model.client')
local shapes = require('view_model.list_shapes')

local List = {}
List.__index = List

local unknown_session, request_cancelled = -32012, -32800
local usual_limit = 1000 -- rows of an answer, where the server tells no limit
local kept_rows, kept_screens = 500, 5 -- on each side of those on screen: so many, or so many screens

-- The list `name` of a view; `on_change()` is called when rows or their number may have changed.
function List.new(name, view, on_change)
  return setmetatable({
    name = name,
    view = view,
    on_change = on_change,
    count = 0,
    top = Anchor.new(), -- the first row on screen
    cursor = Anchor.new(), -- the row that the user is at
    rows = {}, -- by their indices
    held = 0, -- how many these are
    seq = 0, -- of the newest event
    window = { first = 0, count = 0 }, -- those on screen
    request = nil, -- the one that isn't answered
    is_stalled = false, -- whether asking again for the same would get nothing
    is_short = false, -- whether the server gives fewer rows than it is asked for
  }, List)
end

-- The row at an index; nil where it isn't here (yet).
function List:row(index) return self.rows[index] end

-- Whether the row at the cursor's index is the one that the user means. Where any may be another now, it has to come
-- first.
function List:is_cursor_known() return self.rows[self.cursor.index] ~= nil or not self.cursor.is_lost end

-- Says which rows are on screen: they are asked for, and those of a screen before and after them.
function List:show(first, count)
  if self.window.first ~= first or self.window.count ~= count then self:ask_anew() end
  self.window = { first = first, count = count }
  self:ask()
end

-- Moves `top` or `cursor` to another row.
function List:move(anchor, index)
  anchor:set(index, self.rows[index] ~= nil and self:id_of(self.rows[index]) or nil)
  anchor:limit(self.count)
end

-- Brings `top` to where a window of so many rows is full and shows the row that the user is at.
function List:settle(height)
  local cursor = self.cursor.index
  local top = math.min(math.max(self.top.index, cursor - height + 1), cursor)
  top = math.max(0, math.min(top, self.count - height))
  if top ~= self.top.index then self:move(self.top, top) end
end

-- The name of the member by which a row is known again; nil where the contract says that there is none.
function List:id_member()
  local lists = self.view.description and self.view.description.lists
  if not lists or not lists[self.name] then return 'id' end
  return lists[self.name].id
end

function List:id_of(row)
  local member = self:id_member()
  local id = member and type(row) == 'table' and row[member]
  if type(id) == 'table' then return vim.inspect(id) end
  return id or nil
end

-- The index of the row with this identity; nil where it isn't here.
function List:index_of(id)
  for index, row in pairs(self.rows) do
    if self:id_of(row) == id then return index end
  end
end

-- Events

-- Takes an event of the list, or its part of a snapshot.
function List:changed(change, seq)
  -- Edits that don't lead to the count can't be right.
  local edits = change.edits and shapes.count_after(change.edits, self.count) == change.count and change.edits
  local was_empty = self.count == 0
  self.count, self.seq = change.count, seq
  if edits then self:edit(edits) else self.rows, self.held = {}, 0 end
  for _, anchor in ipairs({ self.top, self.cursor }) do
    -- In an empty list there is no row that it stays with.
    if not edits then anchor:reset() elseif not was_empty then anchor:edited(edits) end
    anchor:limit(self.count)
  end
  if change.rows then self:fill(change.first, change.rows) end
  self:ask_anew()
  self.on_change()
  self:ask()
end

function List:edit(edits)
  local rows, held = {}, 0
  for index, row in pairs(self.rows) do
    local place = shapes.index_after(edits, index)
    if place then rows[place], held = row, held + 1 end
  end
  self.rows, self.held = rows, held
end

-- Takes rows, and returns how many of them weren't here.
function List:fill(first, rows)
  local before = self.held
  rows = vim.list_slice(rows, 1, math.max(0, self.count - first))
  for offset, row in ipairs(rows) do
    local index = first + offset - 1
    if self.rows[index] == nil then self.held = self.held + 1 end
    self.rows[index] = row
  end
  for _, anchor in ipairs({ self.top, self.cursor }) do
    anchor:came(first, rows, function(row) return self:id_of(row) end)
  end
  return self.held - before
end

-- The connection

-- The view is attached, perhaps to another connection than before.
function List:attached()
  self.is_stalled = false
  self:ask()
end

-- The view isn't attached any more: no answer will be for it.
function List:left() self.request = nil end

-- Requests

-- What the server says to a request that is on its way doesn't hold for what is asked for next.
function List:ask_anew()
  self.is_stalled = false
  if self.request then self.request.is_old = true end
end

-- Asks for what is missing, with one request at a time.
function List:ask()
  self:trim()
  if self.view.state ~= 'live' then return end
  if self.request then return self:cancel_unwanted(self.request) end
  local wanted = not self.is_stalled and self:missing()
  if wanted then self:send(wanted) end
end

-- The rows on screen, with so many more on each side: from `first` to before `stop`.
function List:around(more)
  local first, count = self.window.first, self.window.count
  return {
    first = math.min(math.max(0, first - more), self.count),
    stop = math.min(first + count + more, self.count),
  }
end

function List:cancel_unwanted(request)
  local wanted = self:around(self.window.count)
  if request.is_cancelled or request.first < wanted.stop and request.stop > wanted.first then return end
  request.is_cancelled = true
  self.view.client:notify('$/cancelRequest', { id = request.id })
end

-- What to ask for; nil where enough is here.
function List:missing()
  if self.window.count == 0 then return nil end
  local screen = self:around(0)
  -- Half of what is read ahead may be used up, so that not each line of scrolling is a request.
  local near = self:around(math.floor(self.window.count / 2))
  if not self:first_missing(near) then return nil end
  local wanted = self:around(self.window.count)
  local first, last = self:first_missing(wanted), self:last_missing(wanted)
  -- With those on screen, so that the server knows which these are, and tells them with their changes.
  local whole = { first = math.min(first, screen.first), stop = math.max(last + 1, screen.stop) }
  local limit = self.view.client.limits.rows or usual_limit
  if not self.is_short and whole.stop - whole.first <= limit then return whole end
  local start = self:first_missing(screen) or self:first_missing(near)
  return { first = start, stop = math.min(last + 1, start + limit), is_exact = true }
end

function List:first_missing(range)
  for index = range.first, range.stop - 1 do
    if self.rows[index] == nil then return index end
  end
end

function List:last_missing(range)
  for index = range.stop - 1, range.first, -1 do
    if self.rows[index] == nil then return index end
  end
end

function List:send(request)
  self.request = request
  local params = {
    session = self.view.session, list = self.name, first = request.first, count = request.stop - request.first,
  }
  request.id = self.view.client:request('session/rows', params, function(err, result)
    -- One of an attachment that is over has rows between which and those that are here events are missing.
    if self.request ~= request then return end
    self.request = nil
    if err then return self:failed(request, err) end
    if not shapes.is_answer(result) or result.seq < self.seq then
      return self:failed(request, { message = ("the server's rows of %s make no sense"):format(self.name) })
    end
    self:answered(request, result)
  end)
end

function List:answered(request, result)
  if result.count ~= self.count then return self:changed(result, result.seq) end
  self.is_short = result.first + #result.rows < math.min(request.stop, self.count)
  local new = self:fill(result.first, result.rows)
  self.is_stalled = new == 0 and not request.is_old and (request.is_exact or not self.is_short)
  self.on_change()
  self:ask()
end

function List:failed(request, err)
  if err.code == Client.lost or err.code == unknown_session then return end
  if err.code == request_cancelled and request.is_cancelled then return self:ask() end
  local wait = err.data and err.data.retryAfterMs
  self.is_stalled = not request.is_old or wait ~= nil
  if wait then
    vim.defer_fn(function() self:attached() end, wait)
  else
    self.view:say(err.message)
  end
  self:ask()
end

-- Forgets rows far from those on screen when there are many.
function List:trim()
  local first, count = self.window.first, self.window.count
  local margin = math.max(kept_rows, kept_screens * count)
  if self.held <= 2 * margin + count then return end
  for index in pairs(self.rows) do
    if index < first - margin or index >= first + count + margin then
      self.rows[index], self.held = nil, self.held - 1
    end
  end
end

return List
