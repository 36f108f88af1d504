-- Which buffer shows which view model. A type of view has:
--   new()                 what a view knows at first
--   apply(model, event)   takes a view model's event into that; a kind it doesn't know changes nothing
--   title(view)           the first line
--   lines(view)           the lines below the head; each is text, or a list of {text, highlight group}
--   keys                  {key, what it does in a word or two, function(view, line)}; `line` counts from 1 in `lines`
--   opened(view)          optional: what to do when its session was made
--   wants_description     optional: whether the view model's contract is asked for when it is shown

local types = {
  orders = require('view_model.views.orders'),
  orderDetails = require('view_model.views.order_details'),
  confirmCancel = require('view_model.views.confirm_cancel'),
}

local M = {}

function M.of(name) return types[name] or require('view_model.views.generic') end

return M
