-- What the server says of lists: whether it is that, and what edits make of a list.

local M = {}

local members = { kind = true, count = true, changes = true, first = true, rows = true }

local function is_count(value) return type(value) == 'number' and value >= 0 and value < 2 ^ 53 and value % 1 == 0 end

local function is_array(value)
  return type(value) == 'table' and (#value > 0 or vim.tbl_isempty(value))
end

local function are_edits(changes)
  if not is_array(changes) then return false end
  for _, edit in ipairs(changes) do
    if type(edit) ~= 'table' then return false end
    if not is_count(edit.at) or not is_count(edit.removed) or not is_count(edit.inserted) then return false end
  end
  return true
end

-- What an event says of the list of its kind; nil where it can't be one of a list. To take another event for one costs
-- little.
function M.change(event)
  if type(event) ~= 'table' then return nil end
  for name in pairs(event) do
    if not members[name] then return nil end
  end
  if type(event.kind) ~= 'string' or not is_count(event.count) then return nil end
  if event.changes ~= nil and not are_edits(event.changes) then return nil end
  if event.rows ~= nil and not (is_array(event.rows) and is_count(event.first)) then return nil end
  return { count = event.count, edits = event.changes, first = event.first, rows = event.rows }
end

-- Whether this is an answer to `session/rows`.
function M.is_answer(result)
  return type(result) == 'table' and is_count(result.seq) and is_count(result.count) and is_count(result.first)
    and is_array(result.rows)
end

-- How long a list is after edits; nil where they can't be right.
function M.count_after(edits, count)
  for _, edit in ipairs(edits) do
    if edit.at + edit.removed > count then return nil end
    count = count + edit.inserted - edit.removed
  end
  return count
end

-- Where a row is after edits; nil where it is gone.
function M.index_after(edits, index)
  for _, edit in ipairs(edits) do
    if index >= edit.at + edit.removed then
      index = index + edit.inserted - edit.removed
    elseif index >= edit.at then
      return nil
    end
  end
  return index
end

return M
