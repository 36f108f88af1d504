-- The picker of the examples' finder: files below a folder, and lines in them.

local Picker = require('view_model.finder.picker')
local Search = require('view_model.finder.search')

local M = {}

-- The search with these arguments over a client, the same one each time.
function M.search(client, arguments)
  local searches = client.searches
  local key = vim.inspect({ arguments.root or false, arguments.hidden or false, arguments.ignore == false })
  if not searches[key] then searches[key] = Search.new(client, arguments) end
  return searches[key]
end

-- Opens a picker. `options` may have a `root`, and `hidden` and `ignore`, the finder's arguments; a `text` to begin
-- with, and a `mode`: 'files', 'text' or 'regex'.
function M.open(client, options)
  local arguments = { root = options.root, hidden = options.hidden, ignore = options.ignore }
  Picker.open(M.search(client, arguments), options)
end

return M
