-- The question whether an order shall really be cancelled.

local M = {}

function M.new() return { question = '' } end

function M.apply(model, event)
  if event.kind == 'question' then model.question = event.value end
end

function M.title(view) return view.model.question end

function M.lines() return {} end

M.keys = {
  { 'y', 'yes', function(view) view:send({ kind = 'confirm' }) end },
  { 'n', 'no', function(view) view:send({ kind = 'keep' }) end },
}

return M
