-- The events that no session took, for the user to have back. The views of one stack share one list.

local Unsent = {}
Unsent.__index = Unsent

function Unsent.new() return setmetatable({ events = {} }, Unsent) end

-- Adds an event of the view with this `label`; `was_sent` is whether it was, and no answer came.
function Unsent:add(label, event, was_sent)
  table.insert(self.events, { label = label, event = event, was_sent = was_sent })
end

local function index_of(self, label, kind)
  for index, unsent in ipairs(self.events) do
    if unsent.label == label and unsent.event.kind == kind then return index end
  end
end

-- The oldest event of this kind, or nil.
function Unsent:oldest(label, kind)
  local index = index_of(self, label, kind)
  return index and self.events[index].event
end

-- Forgets the oldest event of this kind. Returns whether there was one.
function Unsent:forget_oldest(label, kind)
  local index = index_of(self, label, kind)
  if index then table.remove(self.events, index) end
  return index ~= nil
end

-- How many there are in all, and how many of them were sent.
function Unsent:counts()
  local sent = vim.tbl_filter(function(unsent) return unsent.was_sent end, self.events)
  return #self.events, #sent
end

return Unsent
