-- The commands: `:ViewModel [name [arguments]]`, `:ViewModelFind[!] [root]`, and for sessions `:ViewModelAttach key`,
-- `:ViewModelKey` and `:ViewModelEnd`. Everything else is loaded when it is first used.

if vim.g.loaded_view_model then return end
vim.g.loaded_view_model = true

vim.api.nvim_create_user_command('ViewModel', function(command)
  local name, arguments = command.args:match('^(%S*)%s*(.*)$')
  require('view_model').open_from_command(name, arguments)
end, {
  nargs = '*',
  desc = 'Open a hosted view model',
  complete = function(lead, line)
    local words = vim.split(line:sub(1, #line - #lead), '%s+', { trimempty = true })
    return #words == 1 and require('view_model').names(lead) or {}
  end,
})

vim.api.nvim_create_user_command('ViewModelFind', function(command)
  local root = command.args ~= '' and command.args or nil
  require('view_model').find({ root = root, hidden = command.bang or nil })
end, { nargs = '?', bang = true, complete = 'dir', desc = 'Find files, and lines in them' })

vim.api.nvim_create_user_command('ViewModelAttach', function(command)
  require('view_model').attach(command.args)
end, {
  nargs = 1,
  desc = 'Show a session by its key',
  complete = function(lead) return require('view_model').keys(lead) end,
})

vim.api.nvim_create_user_command('ViewModelKey', function(command)
  require('view_model').key(command.args)
end, {
  nargs = '?',
  desc = 'Say the key of the session in this buffer, or the one to look',
  complete = function() return { 'read' } end,
})

vim.api.nvim_create_user_command('ViewModelEnd', function() require('view_model').end_session() end, {
  desc = 'End the session in this buffer for good',
})
