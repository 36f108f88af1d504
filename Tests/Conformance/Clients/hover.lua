-- Opens a Python file in Neovim with the language server that LANGUAGE_SERVER names (a command line), waits until that has
-- said what is wrong with the file, and asks what a name stands for. Prints both, a line each. A language server without its
-- checkers finds nothing wrong, and says so:
--
--   LANGUAGE_SERVER=pylsp nvim --headless -u NONE -S Tests/Conformance/Clients/hover.lua example.py

local patience = 120000 -- ms

local function say(...)
  io.stdout:write(string.format(...), '\n')
  io.stdout:flush()
end

local function wait_until(what, is_so)
  if not vim.wait(patience, is_so, 5) then error('timed out: ' .. what) end
end

local function run()
  local client, status, published
  local id = vim.lsp.start_client({
    name = 'python',
    cmd = vim.split(vim.env.LANGUAGE_SERVER, ' '),
    root_dir = vim.fn.getcwd(),
    on_init = function(started) client = started end,
    on_exit = function(code) status = code end,
    handlers = { ['textDocument/publishDiagnostics'] = function() published = true end },
  })
  assert(id, 'no server was started')
  wait_until('initialize', function() return client ~= nil end)
  vim.lsp.buf_attach_client(0, id)
  wait_until('diagnostics', function() return published end)
  say('diagnostics came')

  local hover
  client.request('textDocument/hover', {
    textDocument = { uri = vim.uri_from_bufnr(0) }, position = { line = 0, character = 5 },
  }, function(err, result) hover = { err = err, result = result } end)
  wait_until('hover', function() return hover ~= nil end)
  local contents = hover.result and hover.result.contents
  say('hover: %s', vim.inspect(contents):find('greet') and 'greet' or vim.inspect(hover))

  client.stop()
  wait_until('exit', function() return status ~= nil end)
  say('exit: status %d', status)
end

local succeeded, problem = pcall(run)
if not succeeded then
  io.stderr:write(tostring(problem), '\n')
  vim.cmd('cquit 1')
end
vim.cmd('qall!')
