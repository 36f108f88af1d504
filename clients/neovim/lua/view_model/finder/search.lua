-- A search by the server's finder, for a picker: which text is searched for, which row the user is at, what is to be
-- previewed, and what was decided. Its session stays when the picker is closed, so that the files stay known.

local View = require('view_model.view')
local models = require('view_model.finder.models')

local Search = {}
Search.__index = Search

-- The modes, as a key goes through them.
Search.modes = { 'files', 'text', 'regex' }

-- The mode after another.
function Search.next_mode(mode)
  for index, name in ipairs(Search.modes) do
    if name == mode then return Search.modes[index % #Search.modes + 1] end
  end
  return Search.modes[1]
end

-- A search below a folder, by the finder's arguments; nothing is sent before `open`.
function Search.new(client, arguments)
  local search = setmetatable({
    arguments = arguments,
    on_change = nil, -- of the picker; nil where none is open
    text = '', mode = 'files', -- what the user wants
    sent = { text = '', mode = 'files' }, -- what this session was sent last
    seen_query = nil, -- the newest event that says what is searched
    is_at_top = true, -- whether the best row stays the selected one, whichever that is
    accepting = nil, -- what is to be done with the row that the user has decided on
    wants_preview = false,
    previewed = nil, -- the row that is, or will be, in the preview
    has_preview = false, -- whether the preview was asked for here; another view of the session may have one
    has_session = false, -- whether one was ever asked for
    was_live = false, -- whether this one came about
    is_update_requested = false,
  }, Search)
  local function request() search:request_update() end
  search.view = View.new(client, {
    name = 'finder', arguments = next(arguments) and arguments or nil, type = models.finder,
    observer = { changed = request, arranged = request, chosen = request, unsent = function() end },
  })
  return search
end

function Search:results() return self.view:list('results') end

-- The preview, where it is on screen; nil where there is none.
function Search:preview_view()
  local child = self.view.stack[#self.view.stack]
  return child and child.type == models.preview and child or nil
end

-- What the user does

-- A picker is open from now on; `on_change()` is called when there may be something new to show.
function Search:open(text, mode, on_change)
  self.on_change = on_change
  if not self.has_session or self.view.state == 'ended' then self:open_session() end
  self:ask(text, mode)
end

-- The picker is closed. The session is left as the next one begins.
function Search:close()
  self.on_change, self.accepting, self.wants_preview = nil, nil, false
  self:ask('', 'files')
end

-- Searches for another text, or in another mode.
function Search:ask(text, mode)
  self.text, self.mode = text, mode or self.mode
  self.is_at_top, self.accepting = true, nil
  if self.on_change and self.view.state == 'ended' then self:open_session() end
  self:update()
end

function Search:select(index)
  local list = self:results()
  if list.count == 0 then return end
  self.is_at_top, self.accepting = false, nil
  list:move(list.cursor, index)
  self:update()
end

-- Decides on the selected row: `act(event, row)` is called with that and what the view model says of it. Where the rows
-- aren't those of the text yet, the first one of those is meant.
function Search:accept(act)
  self.accepting = { act = act, is_sent = false }
  self:update()
end

-- Whether a decision waits for the view model's word.
function Search:is_accepting() return self.accepting ~= nil end

function Search:show_preview(is_wanted)
  if self.wants_preview == is_wanted then return end
  self.wants_preview, self.previewed = is_wanted, nil
  self:update()
end

-- What is so

-- Whether the rows are those of the text.
function Search:is_current()
  local model = self.view.model
  if model.query.text ~= self.text or model.query.mode ~= self.mode then return false end
  -- Where nothing else is found than before, only the answer says that it is so.
  return model.has_results or not self:is_on_its_way({ 'query', 'mode' })
end

-- Whether all was found.
function Search:is_complete()
  local model = self.view.model
  if not self:is_current() or not model.matches or not model.matches.isComplete then return false end
  return model.has_matches or not self:is_on_its_way({ 'query', 'mode' })
end

-- The index of the selected row and that row; nil where there is none, or it isn't here.
function Search:selected()
  local list = self:results()
  local row = list:row(list.cursor.index)
  if row ~= nil then return list.cursor.index, row end
end

function Search:is_on_its_way(kinds)
  for _, numbered in ipairs(self.view.outbox.events) do
    if vim.tbl_contains(kinds, numbered.event.kind) then return true end
  end
  return false
end

function Search:is_asking()
  return self.text ~= self.sent.text or self.mode ~= self.sent.mode or self:is_on_its_way({ 'query', 'mode' })
end

-- The session

function Search:open_session()
  self.view:forget_unsent()
  self.sent, self.seen_query, self.previewed, self.has_preview = { text = '', mode = 'files' }, nil, nil, false
  self.has_session, self.was_live, self.is_at_top = true, false, true
  self.view:open()
end

-- Updates soon, once for all that comes together.
function Search:request_update()
  if self.is_update_requested then return end
  self.is_update_requested = true
  vim.schedule(function()
    self.is_update_requested = false
    self:update()
  end)
end

-- Brings the session to what the user wants, and the other way round.
function Search:update()
  if self.view.state == 'ended' then self:come_back() end
  if #self.view.unsent.events > 0 then self.view:forget_unsent() end
  if self.view.state == 'live' then
    if not self.was_live then self:begin() end
    self:send_query()
  end
  self:take_query()
  self:take_accepted()
  self:stay_at_top()
  if self.view.state == 'live' then
    self:send_accept()
    self:send_preview()
  end
  if self.on_change then self.on_change() end
end

-- A session that is gone has held nothing that the user would miss.
function Search:come_back()
  if self.was_live and self.on_change and self.view.client.state == 'open' then self:open_session() end
end

-- The session is there. One that was found searches what was left in it, in place of which comes what is wanted here.
function Search:begin()
  local query = self.view.model.query
  self.was_live, self.seen_query = true, query
  self.sent = { text = query.text, mode = query.mode }
end

function Search:send_query()
  if self.mode ~= self.sent.mode then
    self.sent.mode = self.mode
    self.view:send({ kind = 'mode', value = self.mode })
  end
  if self.text ~= self.sent.text then
    self.sent.text = self.text
    self.view:send({ kind = 'query', text = self.text })
  end
end

-- Another view of the session may search, too. What the user has typed since goes before that.
function Search:take_query()
  local query = self.view.model.query
  if query == self.seen_query then return end
  self.seen_query = query
  if self:is_asking() or query.text == self.text and query.mode == self.mode then return end
  self.text, self.mode = query.text, query.mode
  self.sent = { text = query.text, mode = query.mode }
  self.is_at_top = true
end

-- With a new text the selection is at the top; it stays with its row when the first ones are here. Before there is a
-- text nobody has looked for that row.
function Search:stay_at_top()
  if not self.is_at_top then return end
  local list = self:results()
  list:move(list.top, 0)
  list:move(list.cursor, 0)
  if self:is_current() and self.text ~= '' and list:row(0) ~= nil then
    self.is_at_top = false
  else
    list.cursor:set(0, nil)
  end
end

function Search:send_accept()
  local accepting = self.accepting
  if not accepting or accepting.is_sent or self.is_at_top and not self:is_current() then return end
  local index, row = self:selected()
  if index then
    accepting.is_sent, accepting.row = true, row
    self.view:send({ kind = 'accept', index = index, id = row.id })
  elseif self:results().count == 0 and self:is_complete() then
    self.accepting = nil
  end
end

function Search:take_accepted()
  local accepting, event = self.accepting, self.view.model.accepted
  self.view.model.accepted = nil
  if not accepting or not accepting.is_sent then return end
  if event then
    self.accepting = nil
    accepting.act(event, accepting.row)
  elseif not self:is_on_its_way({ 'accept' }) then
    self.accepting = nil -- it was refused, and the view says why
  end
end

-- One request at a time, so that a selection that moves fast over a slow connection isn't followed through all rows.
function Search:send_preview()
  local child = self:preview_view()
  if not self.wants_preview then
    if child and self.has_preview and child.state == 'live' and not child.is_closing then
      child.is_closing, self.has_preview = true, false
      child:send({ kind = 'close' }, true)
    end
    return
  end
  -- While the best row is to be selected, those of the text before aren't meant.
  if self.is_at_top and not self:is_current() then return end
  local index, row = self:selected()
  if not index or row.id == self.previewed or self:is_on_its_way({ 'preview' }) then return end
  self.previewed, self.has_preview = row.id, true
  self.view:send({ kind = 'preview', index = index, id = row.id }, true) -- the row may be gone by now
end

return Search
