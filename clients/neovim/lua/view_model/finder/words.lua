-- What a picker says about its search, in words.

local status = require('view_model.status')

local M = {}

-- A number with a comma before each three digits.
local function grouped(number)
  return (('%d'):format(number):reverse():gsub('(%d%d%d)', '%1,'):reverse():gsub('^,', ''))
end

local function counted(number, one, many)
  return ('%s %s'):format(grouped(number), number == 1 and one or many)
end

-- How many were found: "12 of 100,007 files", "2,310 lines".
function M.count(search)
  local model = search.view.model
  local scanning, matches = model.scanning, model.matches or { count = 0, isComplete = false }
  local root = search.arguments.root and ' in ' .. search.arguments.root or ''
  if model.query.mode == 'files' then
    local files = scanning and scanning.files or 0
    local more = scanning and not scanning.isDone and ', scanning…' or ''
    return ('%s of %s%s%s'):format(grouped(matches.count), counted(files, 'file', 'files'), root, more)
  end
  local more = not matches.isComplete and model.query.text ~= '' and ' …' or ''
  return counted(matches.count, 'line', 'lines') .. root .. more
end

-- A problem, or nil.
function M.problem(search)
  local view = search.view
  if view.state == 'ended' then return ('ended: %s; type to open it again'):format(view.problem) end
  return status.of(view) or view.model.failed
end

return M
