-- One window of a picker, with a buffer of its own and, where wanted, a title on its border.

local places = require('view_model.finder.places')

local Pane = {}
Pane.__index = Pane

local namespace = vim.api.nvim_create_namespace('view_model_finder')

local function new_buffer(filetype)
  local buffer = vim.api.nvim_create_buf(false, true)
  vim.bo[buffer].bufhidden = 'wipe'
  vim.bo[buffer].undolevels = -1
  if filetype then vim.bo[buffer].filetype = filetype end
  return buffer
end

local function open_window(buffer, is_entered, place)
  local window = vim.api.nvim_open_win(buffer, is_entered, vim.tbl_extend('keep', { noautocmd = true }, place))
  vim.wo[window].wrap = false
  vim.wo[window].signcolumn = 'no'
  vim.wo[window].scrolloff = 0
  vim.wo[window].winhighlight = 'NormalFloat:Normal,FloatBorder:ViewModelBorder'
  return window
end

function Pane.open(place, options)
  local pane = setmetatable({ place = place, buffer = new_buffer(options.filetype) }, Pane)
  pane.window = open_window(pane.buffer, options.is_entered or false, vim.tbl_extend('force', place, {
    focusable = options.is_entered or false,
  }))
  return pane
end

-- A pane over a window of somebody else's, who writes its title.
function Pane.over(window, buffer)
  local place = { height = vim.api.nvim_win_get_height(window) }
  return setmetatable({ place = place, buffer = buffer, window = window, has_own_title = true }, Pane)
end

function Pane:is_open() return vim.api.nvim_win_is_valid(self.window) and vim.api.nvim_buf_is_valid(self.buffer) end

function Pane:move(place)
  self.place = place
  vim.api.nvim_win_set_config(self.window, place)
  local title, words = self.title, self.title_words
  if title and vim.api.nvim_win_is_valid(title.window) then
    self.title_words = nil
    self:set_title(words)
  end
end

-- Writes lines, each with its marks, `{first byte, the one after the last, group}`.
local function write(buffer, lines)
  local texts = vim.tbl_map(function(line) return line[1] end, lines)
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, texts)
  vim.api.nvim_buf_clear_namespace(buffer, namespace, 0, -1)
  for number, line in ipairs(lines) do
    for order, mark in ipairs(line[2] or {}) do
      vim.api.nvim_buf_set_extmark(buffer, namespace, number - 1, mark[1], {
        end_col = mark[2], hl_group = mark[3], priority = 100 + order,
      })
    end
  end
end

function Pane:write(lines) write(self.buffer, lines) end

-- Lays a highlight over a line, which counts from 0, and under its other highlights, which 'cursorline' would hide.
function Pane:mark(line)
  vim.api.nvim_buf_set_extmark(self.buffer, namespace, line, 0, {
    end_row = line + 1, end_col = 0, hl_group = 'ViewModelSelection', hl_eol = true, priority = 50,
  })
end

-- Lays a highlight over the text of lines, and over their other highlights.
function Pane:dim(first, stop)
  if stop <= first then return end
  vim.api.nvim_buf_set_extmark(self.buffer, namespace, first, 0, {
    end_row = stop, end_col = 0, hl_group = 'ViewModelStale', priority = 5000,
  })
end

-- The title, as parts of {text, group}. Neovim knows titles of windows since 0.9 only, so this is a window, too.
function Pane:set_title(words)
  if self.has_own_title then return end
  if vim.deep_equal(words, self.title_words) then return end
  self.title_words = words
  local text, marks = '', {}
  for _, word in ipairs(words) do
    table.insert(marks, { #text, #text + #word[1], word[2] })
    text = text .. word[1]
  end
  local place = places.title(self.place, vim.fn.strdisplaywidth(text))
  if not self.title then
    self.title = { buffer = new_buffer() }
    self.title.window = open_window(self.title.buffer, false, place)
  else
    vim.api.nvim_win_set_config(self.title.window, place)
  end
  write(self.title.buffer, { { text, marks } })
end

function Pane:close()
  for _, one in ipairs({ self.title or self, self }) do
    if vim.api.nvim_win_is_valid(one.window) then vim.api.nvim_win_close(one.window, true) end
    if vim.api.nvim_buf_is_valid(one.buffer) then vim.api.nvim_buf_delete(one.buffer, { force = true }) end
  end
end

return Pane
