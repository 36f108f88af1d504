-- `:Telescope view_model`, and `:Telescope view_model text`, `… regex`: the finder's files and lines in Telescope's
-- picker. Telescope loads this where it is installed; nothing else does.

local find = require('view_model.finder.telescope')

local function in_mode(mode)
  return function(options) find(vim.tbl_extend('force', options or {}, { mode = mode })) end
end

return require('telescope').register_extension({
  exports = { view_model = find, files = in_mode('files'), text = in_mode('text'), regex = in_mode('regex') },
})
