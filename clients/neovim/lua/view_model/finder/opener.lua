-- Opens a file that was found.

local M = {}

local splits = { edit = '', split = 'split', vsplit = 'vsplit', tab = 'tab split' }

-- The name of the file of an `accepted` event. Its URI is exact where the path isn't text.
local function name_of(event)
  local is_uri, name = pcall(vim.uri_to_fname, event.uri or '')
  return vim.fn.fnamemodify(is_uri and name or event.path, ':.')
end

-- Where the first match of a row begins, in bytes.
local function column_of(row)
  local first = type(row.matches) == 'table' and row.matches[1]
  return first and type(first.start) == 'number' and first.start or 0
end

local function open(event, row, how)
  vim.cmd("normal! m'")
  if splits[how] ~= '' then vim.cmd(splits[how]) end
  -- `:edit` would take some names for patterns, and would load anew what is loaded.
  local buffer = vim.fn.bufadd(name_of(event))
  vim.bo[buffer].buflisted = true
  vim.cmd(('buffer %d'):format(buffer))
  if not event.line then return end
  local line = math.max(1, math.min(event.line, vim.api.nvim_buf_line_count(0)))
  vim.api.nvim_win_set_cursor(0, { line, column_of(row) })
  vim.cmd('normal! zvzz')
end

-- Ends insert mode where one is in it, in a prompt, and calls `act` after that: elsewhere its end moves the cursor.
function M.after_insert(act)
  if vim.api.nvim_get_mode().mode:sub(1, 1) ~= 'i' then return vim.schedule(act) end
  vim.api.nvim_create_autocmd('InsertLeave', { once = true, callback = vim.schedule_wrap(act) })
  vim.cmd('stopinsert')
end

-- Opens the file of an `accepted` event, for a row, in the current window, or in another, as `how` says: 'edit',
-- 'split', 'vsplit' or 'tab'.
function M.open(event, row, how)
  local is_open, problem = pcall(open, event, row, how)
  if not is_open then vim.notify('view model: ' .. tostring(problem), vim.log.levels.ERROR) end
end

return M
