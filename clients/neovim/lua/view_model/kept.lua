-- The sessions that the user may come back to, as a picker offers them.

local M = {}

local UNITS = { { 86400, 'day' }, { 3600, 'hour' }, { 60, 'minute' } }

-- How long ago a time of RFC 3339 in UTC is, in words.
local function ago(time)
  local year, month, day, hour, minute, second = time:match('^(%d+)-(%d+)-(%d+)T(%d+):(%d+):(%d+)')
  if not year then return time end
  local utc = os.time({ year = year, month = month, day = day, hour = hour, min = minute, sec = second, isdst = false })
  local now = os.date('!*t')
  now.isdst = false
  local passed = os.time(now) - utc
  for _, unit in ipairs(UNITS) do
    local count = math.floor(passed / unit[1])
    if count > 0 then return ('%d %s%s ago'):format(count, unit[2], count == 1 and '' or 's') end
  end
  return 'just now'
end

-- The line of a session. Titles and arguments come from elsewhere.
function M.line(session)
  local about = session.title or (session.arguments and vim.json.encode(session.arguments))
  local parts = { session.viewModel .. (about and ': ' .. about or ''), ago(session.lastUsed) }
  local views = session.views or 0
  if views > 0 then table.insert(parts, views == 1 and '1 view' or views .. ' views') end
  return (table.concat(parts, '  '):gsub('%c', '?'))
end

-- Calls `done` with the sessions, those used last first; with none where the server can't tell.
function M.ask(client, done)
  client:request('session/list', { kept = true }, function(err, result)
    -- An older server answers with the sessions that are open here.
    local is_kept = function(session) return session.lastUsed ~= nil end
    done(err and {} or vim.tbl_filter(is_kept, result.sessions))
  end)
end

return M
