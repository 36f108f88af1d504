-- Who else has a view of a session, in words.

local MOST = 5 -- names

local M = {}

-- Names come from other clients.
local function cleaned(text) return (tostring(text):gsub('%c', '?')) end

local function name_of(one)
  local name = cleaned(one.principal or one.program or 'somebody')
  if one.principal and one.program then name = ('%s (%s)'):format(name, cleaned(one.program)) end
  return one.access == 'read' and name .. ', looking' or name
end

-- What `session/views` has said of a view's session; empty where nobody else is here.
function M.of(told)
  local names, count = {}, 0
  for _, one in ipairs(told.views) do
    local name = not one.you and name_of(one)
    if name and not vim.tbl_contains(names, name) then table.insert(names, name) end
  end
  if #names == 0 then return '' end
  count = #names - MOST + math.max(0, (told.count or 0) - #told.views)
  local shown = table.concat(vim.list_slice(names, 1, MOST), ', ')
  return 'here: ' .. shown .. (count > 0 and (' and %d more'):format(count) or '')
end

return M
