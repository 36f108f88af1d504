-- Which view shows which view model. A view is a table:
--   lines(view)           the lines below the head; each is text, or a list of {text, highlight group}
--   new()                 what a view knows at first, its `view.model`; an empty table unless given
--   apply(model, event)   takes a view model's event into that; a kind it doesn't know changes nothing
--   title(view)           the first line; the view model's name unless given
--   keys                  {key, what it does in a word or two, function(view, line)}; `line` counts from 1 in `lines`. One
--                         that only moves has nil for words: those with words are for who may do more than look
--   opened(view)          optional: what to do when its session was made, and not found
--   wants_description     optional: whether the view model's contract is asked for when it is shown
-- and `view:send(event)` sends a view event, `view:list(name)` is a list; see `view_model.sections`.

local generic = require('view_model.views.generic')

-- By the type of the view model: a name alone may be that of another server's view model.
local built_in = {
  ['Examples.OrdersViewModel'] = require('view_model.views.orders'),
  ['Examples.OrderDetailsViewModel'] = require('view_model.views.order_details'),
  ['Examples.ConfirmCancelViewModel'] = require('view_model.views.confirm_cancel'),
}

local defaults = {
  new = function() return {} end,
  apply = function() end,
  title = function(view) return view.name end,
  keys = {},
}

local own = {} -- the user's, by types or names

local M = {}

-- Takes the user's views, by the types of view models or by their names.
function M.set(views)
  local taken = {}
  for name, view in pairs(views or {}) do
    if type(view) ~= 'table' or type(view.lines) ~= 'function' then
      error(("view_model: views['%s'] must be a table with a function lines(view)"):format(name), 0)
    end
    taken[name] = setmetatable({}, { __index = function(_, member)
      if view[member] ~= nil then return view[member] end
      return defaults[member]
    end })
  end
  own = taken
end

-- The view for a view model. `model_type` is nil where the server doesn't say it.
function M.of(name, model_type)
  return own[model_type or name] or own[name] or built_in[model_type or ''] or generic
end

return M
