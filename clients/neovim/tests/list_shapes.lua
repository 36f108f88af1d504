-- Events that are no changes of a list, or make no sense. Run by `tests/run`.

local Lists = require('view_model.lists')
local shapes = require('view_model.list_shapes')

return function()
  local odd = {
    { kind = 'rows' }, { kind = 'rows', count = -1 }, { kind = 'rows', count = 0.5 }, { kind = 'rows', count = 'many' },
    { kind = 'rows', count = 1, changes = 3 }, { kind = 'rows', count = 1, changes = { { at = 0 } } },
    { kind = 'rows', count = 1, rows = { {} } }, { kind = 'rows', count = 1, first = 0, rows = 7 },
    { kind = 'rows', count = 1, other = true }, { count = 1 }, 3,
  }
  for _, event in ipairs(odd) do assert(shapes.change(event) == nil, vim.inspect(event)) end
  assert(shapes.index_after({ { at = 3, removed = 0, inserted = 2 } }, 3) == 5, 'a row behind what came is kept')
  local lists = Lists.new({ state = 'live', session = 1, client = { limits = { rows = 30 } } }, function() end)
  local list = lists:named('rows')
  lists:event({ kind = 'rows', count = 0 }, 1)
  lists:event({ kind = 'rows', count = 4, changes = { { at = 9, removed = 9, inserted = 1 } } }, 2)
  assert(list.count == 4 and list.held == 0, 'edits that make no sense are none')
  lists:event({ kind = 'rows', count = 2, first = 1, rows = { { id = 1 }, { id = 2 }, { id = 3 } } }, 3)
  assert(list:row(1).id == 1 and list.held == 1, 'rows beyond the end are left out')
end
