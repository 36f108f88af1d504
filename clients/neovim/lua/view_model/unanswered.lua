-- What the user did and no answer has come to. Nobody leaves over it without being told: its answer is waited for, then
-- the buffers count as modified, and what is left all the same is said.

local json_text = require('view_model.json_text')

local M = {}

local longest_wait = 1000 -- ms

-- What `:messages` has said of buffers that are gone. Who ends Neovim soon after that hasn't read it.
local told = {}
local told_for = 10000 -- ms

local function now() return (vim.uv or vim.loop).hrtime() / 1e6 end

-- The views that may have something of the kind; also those that have left the screen, as long as a request has them.
local noted = setmetatable({}, { __mode = 'k' })

-- Notes a view that sends an event, or keeps one for the user. What the picker sends is nobody's loss.
function M.note(view)
  if view:root().observer == require('view_model.view').observer then noted[view] = true end
end

-- Calls `act` with each event that isn't answered and its view.
local function each(act)
  for view in pairs(noted) do
    for _, numbered in ipairs(view:unanswered_events()) do act(numbered, view) end
  end
end

-- Whether an answer may come soon. That there is none for now is known, and shown, where a view is away; and of what is
-- held it is known, too.
local function may_be_answered()
  local is_so = false
  each(function(numbered, view) is_so = is_so or not numbered.is_held and not view:is_away() end)
  return is_so
end

-- Waits for answers, a second at most. What comes is looked at when it comes.
function M.wait()
  if may_be_answered() then vim.wait(longest_wait, function() return not may_be_answered() end, longest_wait) end
end

-- Has the views show what isn't answered, and count as modified for it, until it is.
function M.hold(paint)
  local views = {}
  each(function(numbered, view) numbered.is_held, views[view] = true, true end)
  for view in pairs(views) do paint(view) end
  if next(views) then vim.cmd('redraw') end -- the refusal stands below it
end

-- Says it of a root whose buffer is gone, where no answer comes within the time that leaving may take.
function M.say_later(root)
  local function each_of_root(act)
    each(function(numbered, view) if view:root() == root then act(numbered, view) end end)
  end
  local has_any = false
  each_of_root(function() has_any = true end)
  if not has_any then return end
  vim.defer_fn(function()
    each_of_root(function(numbered, view)
      vim.notify(("view model: %s was closed, and this isn't answered yet: %s"):format(
        view:label(), json_text.event(numbered.event)), vim.log.levels.WARN)
    end)
  end, longest_wait)
end

local function line(label, event, was_sent)
  local what = was_sent and "this wasn't answered, and may not have been done" or "this wasn't sent, and isn't done"
  return ('view model: %s: %s: %s'):format(label, what, json_text.event(event))
end

-- Says that an event is gone with the buffer that would show it.
function M.tell(label, event, was_sent)
  vim.notify(("view model: %s was closed, and this wasn't %s: %s"):format(
    label, was_sent and 'answered' or 'sent', json_text.event(event)), vim.log.levels.WARN)
  told = vim.tbl_filter(function(one) return now() - one.at < told_for end, told)
  table.insert(told, { text = line(label, event, was_sent), at = now() })
end

-- What is to be said when Neovim ends: all that isn't answered, and what was given back.
function M.lines()
  local lines = {}
  each(function(numbered, view) table.insert(lines, line(view:label(), numbered.event, numbered.was_sent)) end)
  for view in pairs(noted) do
    for _, one in ipairs(view.unsent.events) do table.insert(lines, line(one.label, one.event, one.was_sent)) end
  end
  for _, one in ipairs(told) do
    if now() - one.at < told_for then table.insert(lines, one.text) end
  end
  table.sort(lines)
  return lines
end

return M
