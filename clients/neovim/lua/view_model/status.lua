-- How things stand with a view, in words.

local way_back = require('view_model.way_back')

local M = {}

local function counted(count, one, many)
  if count == 0 then return '' end
  return count == 1 and '1 event ' .. one or ('%d events %s'):format(count, many)
end

-- What the user can do about a view that has ended.
local function way_on(view)
  if view.host then return '' end
  if view.is_replaced then return '; R shows it here again' end
  if not view.may_be_kept then return '; R opens it again' end
  local back = ('; if the session is kept, R or %s goes back to it'):format(way_back(view))
  -- Of a view model with a scope there is no other one to be opened.
  return back .. (view.client.scopes[view.name] and '' or ('; :ViewModel %s opens another'):format(view.name))
end

-- The reason why a view isn't live; empty where it is.
local function hindrance(view)
  if view.state == 'ended' then return ('ended: %s%s'):format(view.problem, way_on(view)) end
  if view.client:is_silent() then return "the server doesn't answer; waiting for it" end
  local stall = view:stall()
  if stall then
    local reason = stall:gsub("^the store can't be used: ", '')
    return ("the server can't store anything now (%s); what was sent waits for it"):format(reason)
  end
  if view.client.problem then return view.client.problem .. '; trying again' end
  if view.state == 'opening' and not view.host then return 'opening…' end
  if view.state == 'lost' then return 'attaching again…' end
  return ''
end

local function joined(parts)
  parts = vim.tbl_filter(function(part) return part ~= '' end, parts)
  return #parts > 0 and table.concat(parts, '; ') or nil
end

-- The state of a view, or nil where it is as usual.
function M.of(view)
  local all, sent = view:root().unsent:counts()
  if view.is_presented then all, sent = 0, 0 end
  local parts = {
    view.failure and 'the view fails: ' .. view.failure or '',
    view.message ~= view:stall() and view.message or '',
    counted(view:waiting_count(), 'waits to be sent', 'wait to be sent'),
    counted(#view:held(), "isn't answered yet", "aren't answered yet"),
    counted(all - sent, "wasn't sent", "weren't sent"),
    counted(sent, "wasn't answered", "weren't answered"),
    hindrance(view),
  }
  return joined(parts)
end

-- What the user may do with a view's session, and who else is here; nil where there is nothing to say.
function M.here(view)
  return joined({ view.access == 'read' and 'looking only' or '', view.state == 'live' and view.here or '' })
end

return M
