-- Where a view is on screen.

local M = {}

-- The lines above those of the view: its title, its keys and its state.
M.head_height = 3

-- The window that the user looks at a view in; nil where there is none.
function M.window_of(view)
  local windows = view.buffer and vim.fn.win_findbuf(view.buffer) or {}
  local current = vim.api.nvim_get_current_win()
  return vim.tbl_contains(windows, current) and current or windows[1]
end

return M
