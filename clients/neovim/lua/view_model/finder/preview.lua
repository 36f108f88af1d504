-- The lines of a file beside the results, of which only those on screen are here.

local M = {}

-- The filetype that a file's name tells, or ''.
local function filetype_of(path)
  if vim.fn.has('nvim-0.8') == 1 then
    local is_known, filetype = pcall(vim.filetype.match, { filename = path })
    return is_known and filetype or ''
  end
  -- Neovim 0.7 has no other way to tell than to set it.
  local buffer = vim.api.nvim_create_buf(false, true)
  local ignored = vim.o.eventignore
  vim.o.eventignore = 'all'
  pcall(vim.filetype.match, path, buffer)
  local filetype = vim.bo[buffer].filetype
  vim.api.nvim_buf_delete(buffer, { force = true })
  vim.o.eventignore = ignored
  return filetype
end

-- Part of a file has ends without a beginning, which aren't wrong: the syntax is to mark nothing as an error.
local function clear_errors(buffer)
  vim.api.nvim_buf_call(buffer, function()
    for name in vim.fn.execute('syntax list'):gmatch('\n(%S+)') do
      local group = vim.fn.hlID(name)
      local is_error = group > 0 and vim.fn.synIDattr(vim.fn.synIDtrans(group), 'name') == 'Error'
      if is_error then pcall(vim.cmd, 'syntax clear ' .. name) end
    end
  end)
end

local Preview = {}
Preview.__index = Preview

-- A preview in a pane. `first` is the line that should be the first one, which may not be here yet; `shown` is that
-- which is. Lines count from 0.
function M.new(pane) return setmetatable({ pane = pane, file = nil, first = 0, shown = 0 }, Preview) end

-- Scrolls by so many lines.
function Preview:scroll(lines) self.first = self.shown + lines end

-- Another file, or another line of it, which is to be in the middle.
function Preview:take_file(file)
  if file == self.file then return end
  if not self.file or file.path ~= self.file.path then
    self:set_syntax(filetype_of(file.path))
  end
  self.file = file
  self.first = (file.line or 1) - 1 - math.floor(self.pane.place.height / 2)
end

function Preview:set_syntax(filetype)
  if filetype == vim.bo[self.pane.buffer].syntax then return end
  -- Somebody's syntax may fail, and the text is readable without.
  if pcall(function() vim.bo[self.pane.buffer].syntax = filetype end) and filetype ~= '' then
    clear_errors(self.pane.buffer)
  end
end

function Preview:clear()
  self.pane:write({ { '' } })
  self.pane:set_title({ { ' Preview ', 'ViewModelTitle' } })
end

-- Paints what the view of the preview says; nil where there is none, or nothing to preview.
function Preview:paint(view)
  local file = view and view.model.file
  if not file then return self:clear() end
  self:take_file(file)
  local list, height = view:list('lines'), self.pane.place.height
  local first = math.max(0, math.min(self.first, list.count - height))
  self.shown = first
  list:show(first, height)
  local lines = {}
  if view.model.note then lines = { { view.model.note, { { 0, #view.model.note, 'ViewModelKeys' } } } } end
  local offset = #lines
  for index = first, math.min(first + height, list.count) - 1 do
    local row = list:row(index)
    table.insert(lines, { row and (row.text:gsub('[%z\n\r]', ' ')) or '…' })
  end
  if #lines == 0 then lines = { { '' } } end
  self.pane:write(lines)
  local line = file.line and file.line - 1 - first
  if line and line >= 0 and offset + line < #lines then self.pane:mark(offset + line) end
  local words = file.line and ('%s:%d'):format(file.path, file.line) or file.path
  self.pane:set_title({ { ' ' .. words .. ' ', 'ViewModelTitle' } })
end

return M
