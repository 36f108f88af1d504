-- Where the windows of a picker are: the prompt above its results, and the preview beside both where there is room.

local M = {}

local least_for_preview = 100 -- columns of the screen
local border = 2 -- rows or columns

local function window(row, col, width, height)
  return {
    relative = 'editor', style = 'minimal', border = 'rounded', zindex = 60,
    row = row, col = col, width = math.max(1, width), height = math.max(1, height),
  }
end

-- The places for a screen, without borders; `preview` is nil where there is no room for one.
function M.of(columns, lines)
  local width = math.min(columns, math.max(60, math.floor(columns * 0.9)))
  local height = math.min(lines, math.max(12, math.floor(lines * 0.85)))
  local row, col = math.floor((lines - height) / 2), math.floor((columns - width) / 2)
  local has_preview = columns >= least_for_preview
  local left = has_preview and math.floor(width / 2) or width
  local results_row = row + 1 + border
  return {
    prompt = window(row, col, left - border, 1),
    results = window(results_row, col, left - border, row + height - results_row - border),
    preview = has_preview and window(row, col + left, width - left - border, height - border) or nil,
  }
end

-- The place of a title on the border of a window.
function M.title(place, width)
  return {
    relative = 'editor', style = 'minimal', zindex = 61, focusable = false,
    row = place.row, col = place.col + 2, width = math.max(1, math.min(width, place.width - 2)), height = 1,
  }
end

return M
