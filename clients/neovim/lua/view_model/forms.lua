-- Asks the user for a view event, its kind and each of its members, or for arguments: by the JSON Schemas of
-- `viewModel/describe`.

local Client = require('view_model.client')
local ask = require('view_model.ask')

local M = {}

local function resolved(schema, definitions)
  local name = type(schema) == 'table' and type(schema['$ref']) == 'string' and schema['$ref']:match('^#/%$defs/(.+)$')
  if not name then return type(schema) == 'table' and schema or {} end
  return resolved(definitions[name:gsub('~1', '/'):gsub('~0', '~')], definitions)
end

-- The schema of a member without the null that it may be in its place, and whether it may.
local function without_null(schema, definitions)
  schema = resolved(schema, definitions)
  if type(schema.type) == 'table' then
    local kinds = vim.tbl_filter(function(kind) return kind ~= 'null' end, schema.type)
    local is_optional = #kinds < #schema.type
    if #kinds == 1 then return vim.tbl_extend('force', schema, { type = kinds[1] }), is_optional end
    return {}, is_optional
  end
  if type(schema.anyOf) ~= 'table' then return schema, false end
  local choices = vim.tbl_filter(function(choice) return resolved(choice, definitions).type ~= 'null' end, schema.anyOf)
  local is_optional = #choices < #schema.anyOf
  if #choices == 1 then return resolved(choices[1], definitions), is_optional end
  return {}, is_optional
end

local function number(text) return tonumber(text) end

local function json(text)
  local is_json, value = pcall(vim.json.decode, text)
  if is_json then return value end
end

local function word(value) return type(value) == 'string' and value or vim.json.encode(value) end

local function one_of(values)
  return function(text)
    for _, value in ipairs(values) do
      if text == word(value) then return value end
    end
  end
end

-- How to ask for a value of a schema: in what words, with which completions, and how its text is read. Reading gives
-- nil for a text that isn't such a value.
local function field(schema)
  if type(schema.enum) == 'table' then
    local choices = vim.tbl_map(word, schema.enum)
    return { words = table.concat(choices, ', '), completions = choices, read = one_of(schema.enum) }
  end
  if schema.type == 'boolean' then
    return { words = 'true or false', completions = { 'true', 'false' }, read = one_of({ true, false }) }
  end
  if schema.type == 'integer' then
    return { words = 'integer', read = function(text) return text:match('^[+-]?%d+$') and number(text) end }
  end
  if schema.type == 'number' then return { words = 'number', read = number } end
  if schema.type == 'string' then return { words = 'text', read = function(text) return text end } end
  return { words = 'JSON', read = json }
end

-- Asks until the answer is a value of the schema; nil where the user doesn't want to say, and vim.NIL where it is left
-- out. `given`, if not nil, is what the answer is until the user changes it.
local function ask_member(name, schema, definitions, is_required, given)
  local inner, is_nullable = without_null(schema, definitions)
  local form = field(inner)
  local may_miss = is_nullable or not is_required
  local words = may_miss and form.words .. ', or nothing' or form.words
  local default = given == nil and '' or word(given)
  while true do
    local text = ask.text(('%s (%s): '):format(name, words), default, form.completions)
    if text == nil then return nil end
    if text == '' and may_miss then return vim.NIL end
    local value = form.read(text)
    if value ~= nil then return value end
    words, default = ('%s, not "%s"'):format(form.words, text), ''
  end
end

-- The members that an object lacks: required ones first, as the schema lists them; the others by name.
local function missing_members(object, schema)
  local is_required = {}
  for _, name in ipairs(schema.required or {}) do is_required[name] = true end
  local others = vim.tbl_filter(function(name) return not is_required[name] end, vim.tbl_keys(schema.properties or {}))
  table.sort(others)
  local names = vim.list_extend(vim.list_slice(schema.required or {}), others)
  return vim.tbl_filter(function(name) return object[name] == nil end, names), is_required
end

-- Those of the values `filled` that are members of a form, by their names.
local function fitting(form, filled)
  local fit = {}
  for name, value in pairs(filled) do
    if (form.properties or {})[name] ~= nil then fit[name] = value end
  end
  return fit
end

-- Asks for the members of an object that has some already, and calls `act` with it. `given` has what is offered.
local function ask_members(object, schema, definitions, given, act)
  local names, is_required = missing_members(object, schema)
  for _, name in ipairs(names) do
    local value = ask_member(name, (schema.properties or {})[name], definitions, is_required[name], given[name])
    if value == nil then return end
    if value ~= vim.NIL then object[name] = value end
  end
  act(object)
end

-- The kinds of event that a schema allows, in its order, and the schema of each.
function M.kinds(schema, definitions)
  schema = resolved(schema, definitions)
  local names, by_name = {}, {}
  for _, form in ipairs(schema.oneOf or schema.anyOf or { schema }) do
    form = resolved(form, definitions)
    local kind = resolved((form.properties or {}).kind, definitions)
    for _, name in ipairs(kind.enum or { kind.const }) do
      table.insert(names, name)
      by_name[name] = form
    end
  end
  return names, by_name
end

local function ask_json(view, act)
  local text = ask.text('Event (JSON): ', '{"kind":"')
  local event = text and json(text)
  if type(event) == 'table' then act(event) elseif text then view:say('that is no JSON object') end
end

local function ask_described(view, description, filled, act)
  local definitions = description['$defs'] or {}
  local names, by_name = M.kinds(description.viewEvent, definitions)
  if #names == 0 then return ask_json(view, act) end
  local function fill(kind)
    local event = vim.tbl_extend('force', fitting(by_name[kind], filled), { kind = kind })
    ask_members(event, by_name[kind], definitions, view:oldest_unsent(kind) or {}, act)
  end
  local fit = vim.tbl_filter(function(kind) return next(fitting(by_name[kind], filled)) ~= nil end, names)
  if #fit == 1 then return fill(fit[1]) end
  ask.choice('Event:', #fit > 0 and fit or names, fill)
end

-- Calls `act` with the event that the user wants to send, or doesn't. `filled`, if given, has values by the names of
-- members, for which nobody is asked: only events with such a member are to choose from, where there are any.
function M.ask_event(view, act, filled)
  filled = filled or {}
  if view.state == 'ended' then return view:say("can't send") end
  if view.description then return ask_described(view, view.description, filled, act) end
  if view.client.state ~= 'open' then return view:say("can't ask what it takes") end
  view:say('asking what it takes…')
  view:describe(function(err)
    if not err then
      view:say(nil)
      return ask_described(view, view.description, filled, act)
    end
    -- That there is no connection is said already.
    view:say("can't ask what it takes" .. (err.code == Client.lost and '' or ': ' .. err.message))
  end)
end

-- Calls `act` with the arguments that a view model needs, or with nil where it needs none. It isn't
-- called where the user cancels. Arguments that may be left out aren't asked for.
function M.ask_arguments(description, act)
  local definitions = description['$defs'] or {}
  local schema = resolved(description.arguments, definitions)
  if #(schema.required or {}) == 0 then return act(nil) end
  local needed = vim.empty_dict()
  for _, name in ipairs(schema.required) do needed[name] = (schema.properties or {})[name] end
  ask_members({}, { required = schema.required, properties = needed }, definitions, {}, act)
end

return M
