-- What a view shows on top of itself: the children on its stack, and the one that is presented over it.
-- These are methods of `view_model.view`.

local M = {}

local taken_off = 'it was taken off'

function M:add_child(about, is_presented)
  local child = require('view_model.view').new(self.client, {
    name = about.viewModel, key = about.key, host = self, is_presented = is_presented,
    type = self.type.children and self.type.children[about.viewModel],
  })
  if is_presented then self.presented = child else table.insert(self.stack, child) end
  child:attach()
end

function M:show_child(about, is_presented)
  self:add_child(about, is_presented)
  self:arranged()
end

function M:remove_child(key)
  self:each_child(function(child)
    if child.key == key then child:finish(taken_off) end
  end)
end

function M:take_off(child)
  self.stack = vim.tbl_filter(function(other) return other ~= child end, self.stack)
  if self.presented == child then self.presented = nil end
  self:arranged()
end

-- Brings what is on screen to what the server says it is, and attaches to all of it.
function M:arrange_as(navigation)
  local is_wanted = {}
  for _, about in ipairs(navigation.stack or {}) do is_wanted[about.key] = about end
  if navigation.presented then is_wanted[navigation.presented.key] = navigation.presented end
  self:each_child(function(child)
    if not is_wanted[child.key] then child:finish(taken_off) end
  end)
  self:each_child(function(child)
    is_wanted[child.key] = nil
    if child.state ~= 'live' then child:resume() end
  end)
  for _, about in ipairs(navigation.stack or {}) do
    if is_wanted[about.key] then self:add_child(about, false) end
  end
  local presented = navigation.presented
  if presented and is_wanted[presented.key] then self:add_child(presented, true) end
  self:arranged()
end

return M
