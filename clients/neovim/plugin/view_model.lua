-- The commands `:ViewModel [name [arguments]]` and `:ViewModelFind[!] [root]`. Everything else is loaded when it is first used.

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
