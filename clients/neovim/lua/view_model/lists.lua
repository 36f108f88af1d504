-- The lists of a view, by name: those that were asked for, and those of which the server has told something.

local List = require('view_model.list')
local shapes = require('view_model.list_shapes')

local Lists = {}
Lists.__index = Lists

function Lists.new(view, on_change)
  return setmetatable({ view = view, on_change = on_change, by_name = {} }, Lists)
end

-- The list of this name, the same table each time.
function Lists:named(name)
  if not self.by_name[name] then self.by_name[name] = List.new(name, self.view, self.on_change) end
  return self.by_name[name]
end

-- Takes any event of the view model.
function Lists:event(event, seq)
  local change = shapes.change(event)
  if change then self:named(event.kind):changed(change, seq) end
end

-- Takes a snapshot: all lists are as it says, and those of which it says nothing are empty.
function Lists:snapshot(events, seq)
  local is_told = {}
  for _, event in ipairs(events) do
    is_told[event.kind] = true
    self:event(event, seq)
  end
  for name, list in pairs(self.by_name) do
    if not is_told[name] then list:changed({ count = 0 }, seq) end
  end
end

function Lists:attached()
  for _, list in pairs(self.by_name) do list:attached() end
end

function Lists:left()
  for _, list in pairs(self.by_name) do list:left() end
end

return Lists
