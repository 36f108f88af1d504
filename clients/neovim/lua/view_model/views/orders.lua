-- The list of orders.

local M = {}

function M.new() return { is_loading = false, orders = {}, cancelled = {} } end

local apply = {
  loading = function(model, event)
    model.is_loading = event.value
    if event.value then model.failure = nil end
  end,
  orders = function(model, event) model.orders = event.value end,
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
  return ('Orders: %d'):format(#model.orders)
end

function M.lines(view)
  return vim.tbl_map(function(order)
    if not view.model.cancelled[order.id] then return order.name end
    return { { order.name, 'ViewModelCancelled' }, { '  cancelled', 'ViewModelMark' } }
  end, view.model.orders)
end

M.keys = {
  { '<CR>', 'details', function(view, line)
    if view.model.orders[line] then view:send({ kind = 'selectOrder', index = line - 1 }) end
  end },
  { 'r', 'reload', function(view) view:send({ kind = 'loadOrders' }) end },
  { 'x', 'stop loading', function(view) view:cancel() end },
}

return M
