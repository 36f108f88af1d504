-- Opens view models that a server hosts, each in a buffer.

local Client = require('view_model.client')
local View = require('view_model.view')
local farewell = require('view_model.farewell')
local finder = require('view_model.finder')
local kept = require('view_model.kept')
local forms = require('view_model.forms')
local screen = require('view_model.screen')
local views = require('view_model.views')

local M = {}

local config = { command = { 'view-model-server', '--stdio' } }
local client

-- Says where the server is:
--   command  a list: the server is started with it and spoken to over its standard input and output
--   address  instead of a command: 'HOST:PORT', or the path of a Unix socket
--   token    what `initialize` carries where the server wants one
-- and which views are the user's own:
--   views    by the types of view models, such as 'Finder.FinderViewModel', or by names; see `view_model.views`
function M.setup(options)
  config = vim.tbl_extend('force', { command = config.command }, options or {})
  views.set(config.views)
  if client then
    client:shut_down()
    client:leave()
  end
  client = nil
end

local function connected_client()
  if not client then
    client = Client.new(config)
    -- Before it is looked whether a buffer is modified; also where that doesn't count, as for `:qall!`.
    local group = vim.api.nvim_create_augroup('ViewModelLeaving', {})
    vim.api.nvim_create_autocmd('ExitPre', { group = group, callback = farewell.hold_back })
    vim.api.nvim_create_autocmd('VimLeavePre', { group = group, callback = function()
      if client then farewell.leave_all(client) end
    end })
  end
  client:connect()
  return client
end

local function say(text) vim.notify('view model: ' .. text, vim.log.levels.WARN) end

-- The names of the hosted view models that begin with `lead`. Waits up to two seconds for the server.
function M.names(lead)
  local current = connected_client()
  vim.wait(2000, function() return current.state == 'open' end, 10)
  return vim.tbl_filter(function(name) return vim.startswith(name, lead or '') end, current.names)
end

-- Opens a view model in the current window, with `arguments` as a table, or nil for none.
function M.open(name, arguments)
  local view = View.new(connected_client(), { name = name, arguments = arguments })
  screen.show(view)
  view:open()
  return view
end

-- Shows the session with this key in the current window, whoever has opened it.
function M.attach(key)
  if key == '' then return say('a key is needed, as :ViewModelKey says it') end
  local current = connected_client()
  current:when_open(function()
    View.join(current, key, function(problem, view)
      if problem then return say(problem) end
      screen.show(view)
    end)
  end, say)
end

-- The keys of sessions that were left here, for completion; see `view_model.farewell`.
function M.keys(lead) return client and farewell.keys(client, lead) or {} end

-- The view of the current buffer; says so where there is none.
local function current_view()
  local view = screen.current()
  if not view then say('this buffer shows no view model') end
  return view
end

local function give_key(view, key)
  vim.fn.setreg('"', key)
  vim.notify(('%s: %s'):format(view.name, key))
end

-- Says the key of the session in the current buffer, and puts it into the unnamed register, to be pasted elsewhere. With
-- `access` "read" it is another one, with which others can only look.
function M.key(access)
  local view = current_view()
  if not view then return end
  if (access or '') == '' then return view.key and give_key(view, view.key) or say('it has no session yet') end
  if access ~= 'read' then return say(('expected "read", not "%s"'):format(access)) end
  if view.state ~= 'live' then return say('there is no connection to ask for the key over') end
  view:ask('session/key', { session = view.session, access = access }, function(err, result)
    if err then return say(err.message) end
    give_key(view, result.key)
  end)
end

-- Ends the session in the current buffer, with all that stands on it.
function M.end_session()
  local view = current_view()
  if view then farewell.end_session(view:root(), screen.close) end
end

-- Opens a picker of files below a folder, and of lines in them. `options` may have
--   root            the folder, one below that which the server shows; that one unless given
--   hidden, ignore  whether files whose names begin with a dot are found (no), and git's ignore rules are heeded (yes)
--   mode            'files', 'text' or 'regex'
--   text            what to begin with
function M.find(options) finder.open(connected_client(), options or {}) end

-- The search with these arguments (`root`, `hidden`, `ignore`), for another picker; see `view_model.finder.search`.
function M.search(arguments) return finder.search(connected_client(), arguments) end

-- Opens a view model with the arguments that it needs, for which the user is asked. Where that can't be, the view says
-- why.
local function open_asking(name)
  local current = connected_client()
  current:when_open(function()
    current:request('viewModel/describe', { viewModel = name }, function(err, description)
      if err then return M.open(name) end
      forms.ask_arguments(description, function(arguments) M.open(name, arguments) end)
    end)
  end, function() M.open(name) end)
end

local function choose()
  local current = connected_client()
  current:when_open(function()
    kept.ask(current, function(sessions)
      local choices = vim.list_extend(sessions, current.names)
      local line = function(choice) return type(choice) == 'table' and kept.line(choice) or choice end
      vim.ui.select(choices, { prompt = 'View model:', format_item = line }, function(choice)
        if type(choice) == 'table' then M.attach(choice.key) elseif choice then open_asking(choice) end
      end)
    end)
  end, say)
end

-- The command `:ViewModel`; `arguments` is JSON text, or empty.
function M.open_from_command(name, arguments)
  if name == '' then return choose() end
  if arguments == '' then return open_asking(name) end
  local is_json, decoded = pcall(vim.json.decode, arguments)
  if is_json and type(decoded) == 'table' then return M.open(name, decoded) end
  say('the arguments must be a JSON object, such as {"delay": 0}')
end

return M
