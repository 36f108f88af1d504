-- The keys that move the cursor, for views with sections of lists: they go through the whole list, and on from its ends
-- as anywhere.

local layout = require('view_model.layout')
local sections = require('view_model.sections')

-- Goes to the next list that isn't empty, after that which the cursor is in.
local function next_section(view, line)
  local full = vim.tbl_filter(function(section) return section.height > 0 end, view.sections)
  local target = full[1]
  for _, section in ipairs(vim.list_slice(full)) do
    if section.from <= line then table.remove(full, 1) end
  end
  target = full[1] or target
  if not target then return end
  local offset = math.max(0, math.min(target.list.cursor.index - target.first, target.height - 1))
  vim.api.nvim_win_set_cursor(0, { layout.head_height + target.from + offset, 0 })
  sections.moved(view, target.from + offset)
end

-- Where keys lead from the row `at`: `count` is what was typed before the key, or nil.
local function by_lines(sign)
  return function(at, _, _, count) return at + sign * (count or 1) end
end

local function by_half_screens(sign)
  return function(at, height, _, count) return at + sign * (count or math.max(1, math.floor(height / 2))) end
end

local function by_screens(sign)
  return function(at, height, _, count) return at + sign * height * (count or 1) end
end

local function to_first(_, _, _, count) return (count or 1) - 1 end
local function to_last(_, _, length, count) return (count or length) - 1 end

local motions = {
  { 'j', by_lines(1) }, { '<Down>', by_lines(1) }, { 'k', by_lines(-1) }, { '<Up>', by_lines(-1) },
  { '<C-d>', by_half_screens(1), { scrolls = true } }, { '<C-u>', by_half_screens(-1), { scrolls = true } },
  { '<C-f>', by_screens(1), { scrolls = true } }, { '<PageDown>', by_screens(1), { scrolls = true } },
  { '<C-b>', by_screens(-1), { scrolls = true } }, { '<PageUp>', by_screens(-1), { scrolls = true } },
  { 'gg', to_first, { enters = true } }, { '<C-Home>', to_first, { enters = true } },
  { 'G', to_last, { enters = true } }, { '<C-End>', to_last, { enters = true } },
}

-- Moves in the list at `line`. Returns false where that can't be.
local function move_in_list(view, line, target_of, way, count)
  local section = sections.moved(view, line) or way.enters and sections.enter(view)
  if not section then return false end
  local list = section.list
  local at = list.cursor.index
  local target = math.max(0, math.min(target_of(at, section.height, list.count, count), list.count - 1))
  if target == at and not (way.enters and view.sections.is_alone) then return count ~= nil end
  if way.scrolls then list:move(list.top, math.max(0, list.top.index + target - at)) end
  if target ~= at then list:move(list.cursor, target) end
  list.on_change()
  return true
end

-- `way.scrolls` is whether the list's window moves along, and `way.enters` whether the cursor may come from elsewhere
-- where a view shows nothing but a list.
local function motion(key, target_of, way)
  local plain = vim.api.nvim_replace_termcodes(key, true, true, true)
  return { key, nil, function(view, line)
    local count = vim.v.count > 0 and vim.v.count or nil
    if move_in_list(view, line, target_of, way or {}, count) then return end
    vim.cmd('normal! ' .. (count or '') .. plain)
  end }
end

local keys = { { '<Tab>', nil, next_section } }
for _, one in ipairs(motions) do table.insert(keys, motion(unpack(one))) end

return keys
