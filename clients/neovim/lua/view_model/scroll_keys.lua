-- The keys that scroll, for a view that shows nothing but a list: its buffer has no more lines than the window.

local sections = require('view_model.sections')

-- What row is the first on screen then, where it was `top`.
local function by_rows(sign, usual)
  return function(top, _, _, count) return top + sign * (count or usual) end
end

local function cursor_first(_, cursor) return cursor end
local function cursor_amid(_, cursor, height) return cursor - math.floor(height / 2) end
local function cursor_last(_, cursor, height) return cursor - height + 1 end

-- The cursor keeps its row as long as that is on screen.
local function scroll(view, line, top_of)
  local count = vim.v.count > 0 and vim.v.count or nil
  local section = sections.moved(view, line) or sections.enter(view)
  if not section then return end
  local list, height = section.list, section.height
  local cursor = list.cursor.index
  local top = math.max(0, math.min(top_of(list.top.index, cursor, height, count), list.count - height))
  list:move(list.top, top)
  local kept = math.max(top, math.min(cursor, top + height - 1))
  if kept ~= cursor then list:move(list.cursor, kept) end
  list.on_change()
end

local function key(name, top_of)
  return { name, nil, function(view, line) scroll(view, line, top_of) end }
end

-- The mouse may be over another window.
local function wheel(name, top_of)
  local plain = vim.api.nvim_replace_termcodes(name, true, true, true)
  return { name, nil, function(view, line)
    local window = vim.fn.getmousepos().winid
    if window ~= 0 and vim.api.nvim_win_get_buf(window) ~= view.buffer then
      return vim.api.nvim_feedkeys(plain, 'n', false)
    end
    scroll(view, line, top_of)
  end }
end

return {
  key('<C-e>', by_rows(1, 1)), key('<C-y>', by_rows(-1, 1)),
  key('zt', cursor_first), key('zz', cursor_amid), key('zb', cursor_last),
  wheel('<ScrollWheelDown>', by_rows(1, 3)), wheel('<ScrollWheelUp>', by_rows(-1, 3)),
}
