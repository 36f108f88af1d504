-- Questions to the user, in the command line.

local M = {}

-- No text that is typed is like this. (Neovim 0.7 makes text of a `cancelreturn` that is none.)
local cancelled = '\1cancelled'

-- A line of text, which may be empty; nil where the user doesn't want to say. (`vim.ui.input` can't tell these apart in
-- Neovim 0.7.)
function M.text(prompt, default, completions)
  M.completions = completions or {}
  local options = { prompt = prompt, default = default or '', cancelreturn = cancelled }
  if completions then options.completion = 'customlist,v:lua.require\'view_model.ask\'.complete' end
  local is_given, text = pcall(vim.fn.input, options)
  if not is_given or text == cancelled then return nil end
  return text
end

function M.complete(lead)
  return vim.tbl_filter(function(choice) return vim.startswith(choice, lead) end, M.completions)
end

function M.choice(prompt, choices, act)
  vim.ui.select(choices, { prompt = prompt }, function(choice) if choice then act(choice) end end)
end

return M
