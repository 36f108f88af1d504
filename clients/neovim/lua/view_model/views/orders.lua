-- The list of orders.

local scroll_keys = require('view_model.scroll_keys')
local section_keys = require('view_model.section_keys')
local sections = require('view_model.sections')

local M = {}

function M.new() return { is_loading = false, cancelled = {} } end

local apply = {
  loading = function(model, event)
    model.is_loading = event.value
    if event.value then model.failure = nil end
  end,
  failed = function(model, event) model.failure = event.message end,
  cancelled = function(model, event) model.cancelled[event.id] = true end,
}

function M.apply(model, event)
  if apply[event.kind] then apply[event.kind](model, event) end
end

function M.opened(view) view:send({ kind = 'loadOrders' }) end

function M.title(view)
  local model = view.model
  if model.is_loading then return 'Orders: loading…' end
  if model.failure then return 'Orders: ' .. model.failure end
  return ('Orders: %d'):format(view:list('orders').count)
end

function M.lines(view)
  local lines = {}
  sections.append_alone(lines, view, 'orders', function(order)
    if not view.model.cancelled[order.id] then return order.name end
    return { { order.name, 'ViewModelCancelled' }, { '  cancelled', 'ViewModelMark' } }
  end)
  return lines
end

M.keys = vim.list_extend(vim.list_extend({
  { '<CR>', 'details', function(view, line)
    local list, index = sections.row_at(view, line)
    if not list then return end
    if not list:is_cursor_known() then return view:say("the order isn't here yet") end
    view:send({ kind = 'selectOrder', index = index })
  end },
  { 'r', 'reload', function(view) view:send({ kind = 'loadOrders' }) end },
  { 'x', 'stop loading', function(view) view:cancel() end },
}, section_keys), scroll_keys)

return M
