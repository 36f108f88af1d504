-- A place in a list that stays with its row: it moves with edits, and the row is found again by its identity. Where the
-- row is gone, the place is that of the row that came there.

local Anchor = {}
Anchor.__index = Anchor

function Anchor.new() return setmetatable({ index = 0 }, Anchor) end

-- `id` is the row's; nil where the row has none, or isn't here.
function Anchor:set(index, id)
  self.index, self.id = index, id
  self.is_lost = false -- whether another row may have taken the place of this one
end

function Anchor:edited(edits)
  for _, edit in ipairs(edits) do
    if self.index >= edit.at + edit.removed then
      self.index = self.index + edit.inserted - edit.removed
    elseif self.index >= edit.at then
      self.is_lost = true
      -- As many rows as went may be the same ones with other content.
      if edit.removed ~= edit.inserted then self.index = edit.at + math.min(self.index - edit.at, edit.inserted) end
    end
  end
end

-- Any row may be another.
function Anchor:reset() self.is_lost = true end

function Anchor:limit(count) self.index = math.max(0, math.min(self.index, count - 1)) end

-- Looks whether the row is one of those that came; `id_of(row)` tells its identity.
function Anchor:came(first, rows, id_of)
  if self.is_lost and self.id ~= nil then
    for offset, row in ipairs(rows) do
      if id_of(row) == self.id then return self:set(first + offset - 1, self.id) end
    end
  end
  local row = rows[self.index - first + 1]
  if row ~= nil then self:set(self.index, id_of(row)) end
end

return Anchor
