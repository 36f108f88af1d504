-- What the finder's source needs of telescope.nvim, for tests where that isn't installed: a prompt, the rows in order,
-- a preview, and keys. It calls the source as Telescope does, and takes no row after `done()`.

local current -- the picker that is open
local selects = {} -- what replaces the selection of an entry

local actions = {}

function actions.close()
  local picker = current
  current = nil
  for _, buffer in ipairs(picker.buffers) do vim.api.nvim_buf_delete(buffer, { force = true }) end
  picker.finder:close()
end

local Picker = {}
Picker.__index = Picker

function Picker:window(command)
  vim.cmd(command)
  local buffer = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_win_set_buf(0, buffer)
  table.insert(self.buffers, buffer)
  return vim.api.nvim_get_current_win(), buffer
end

function Picker:select()
  self.previewer.state = { winid = self.preview_win, bufnr = self.preview_buffer }
  if self.entries[1] then self.previewer.define_preview(self.previewer, self.entries[1]) end
end

function Picker:show(entry)
  table.insert(self.entries, entry)
  local text = entry.display(entry, self)
  vim.api.nvim_buf_set_lines(self.results_buffer, #self.entries - 1, -1, false, { text })
end

function Picker:refresh()
  local text = vim.api.nvim_buf_get_lines(self.prompt_buffer, 0, 1, false)[1]
  self.entries, self.searches = {}, self.searches + 1
  vim.api.nvim_buf_set_lines(self.results_buffer, 0, -1, false, {})
  local search, is_done = self.searches, false
  self.finder(text, function(entry)
    if search ~= self.searches then return true end
    if not is_done then self:show(entry) end
  end, function()
    is_done = true
    vim.schedule(function() if current == self then self:select() end end)
  end)
end

function Picker:find()
  current = self
  self.results_win, self.results_buffer = self:window('botright 8split')
  self.preview_win, self.preview_buffer = self:window('vsplit')
  self.prompt_win, self.prompt_buffer = self:window('botright 1split')
  local function map(mode, key, act) vim.keymap.set(mode, key, act, { buffer = self.prompt_buffer }) end
  self.attach_mappings(self.prompt_buffer, map)
  for key, kind in pairs({ ['<CR>'] = 'default', ['<C-x>'] = 'horizontal' }) do
    map('i', key, function()
      selects.replacement(self.prompt_buffer, kind)
      if current == self then self:select() end -- as where rows come just then
    end)
  end
  vim.api.nvim_buf_attach(self.prompt_buffer, false, {
    on_lines = function() vim.schedule(function() if current == self then self:refresh() end end) end,
  })
  vim.api.nvim_buf_set_lines(self.prompt_buffer, 0, -1, false, { self.default_text or '' })
  vim.cmd('startinsert!')
end

local modules = {
  ['telescope'] = { register_extension = function(extension) return extension end },
  ['telescope.actions'] = actions,
  ['telescope.actions.state'] = {
    get_selected_entry = function() return current.entries[1] end,
    get_current_picker = function() return current end,
  },
  ['telescope.actions.set'] = {
    select = { replace = function(_, act) selects.replacement = act end },
  },
  ['telescope.previewers'] = { new_buffer_previewer = function(options) return options end },
  ['telescope.sorters'] = { empty = function() return {} end },
  ['telescope.pickers'] = {
    new = function(options, defaults)
      local picker = vim.tbl_extend('keep', options, defaults)
      return setmetatable(vim.tbl_extend('force', picker, { buffers = {}, entries = {}, searches = 0 }), Picker)
    end,
  },
}
for name, module in pairs(modules) do package.preload[name] = function() return module end end

vim.api.nvim_create_user_command('Telescope', function(command)
  local extension = require('telescope._extensions.' .. command.fargs[1])
  extension.exports[command.fargs[2] or command.fargs[1]]({})
end, { nargs = '+' })
