vim9script
# Asks the user for a view event, its kind and each of its members, or for arguments: by the JSON Schemas of
# `viewModel/describe`.

import autoload 'view_model/ask.vim'
import autoload 'view_model/client.vim' as clients
import autoload 'view_model/events.vim'
import autoload 'view_model/view.vim' as views

def Resolved(schema: any, definitions: dict<any>): dict<any>
  if type(schema) != v:t_dict
    return {}
  endif
  var name = matchstr(get(schema, '$ref', ''), '^#/\$defs/\zs.*')
  if name ==# ''
    return schema
  endif
  return Resolved(get(definitions, name->substitute('\~1', '/', 'g')->substitute('\~0', '~', 'g'), {}), definitions)
enddef

# The schema of a member without the null that it may be in its place, and whether it may.
def WithoutNull(of: any, definitions: dict<any>): list<any>
  var schema = Resolved(of, definitions)
  if type(get(schema, 'type', '')) == v:t_list
    var kinds = copy(schema.type)->filter((_, kind) => kind !=# 'null')
    var inner = len(kinds) == 1 ? extendnew(schema, {type: kinds[0]}) : {}
    return [inner, len(kinds) < len(schema.type)]
  elseif has_key(schema, 'anyOf')
    var choices = schema.anyOf->mapnew((_, choice) => Resolved(choice, definitions))
    var others = copy(choices)->filter((_, choice) => Word(get(choice, 'type', '')) !=# 'null')
    return [len(others) == 1 ? others[0] : {}, len(others) < len(choices)]
  endif
  return [schema, false]
enddef

# How to ask for a value of a schema: in what words, and how its text is read, into a list that is empty for a text that
# isn't such a value.
def Field(schema: dict<any>): dict<any>
  if has_key(schema, 'enum')
    return OneOf(schema.enum)
  endif
  var type = get(schema, 'type', '')
  if type ==# 'boolean'
    return extend(OneOf([true, false]), {words: 'true or false'})
  elseif type ==# 'integer'
    return {words: 'integer', Read: (text) => text =~ '^[+-]\?\d\+$' ? [str2nr(text)] : []}
  elseif type ==# 'number'
    return {words: 'number', Read: ReadNumber}
  elseif type ==# 'string'
    return {words: 'text', Read: (text) => [text]}
  endif
  return {words: 'JSON', Read: ReadJSON}
enddef

def ReadNumber(text: string): list<any>
  return text =~ '^[+-]\?\d\+\(\.\d*\)\?\([eE][+-]\?\d\+\)\?$' ? [str2float(text)] : []
enddef

def Word(value: any): string
  return type(value) == v:t_string ? value : json_encode(value)
enddef

def OneOf(values: list<any>): dict<any>
  return {
    words: values->mapnew((_, value) => Word(value))->join(', '),
    Read: (text) => copy(values)->filter((_, value) => Word(value) ==# text),
  }
enddef

def ReadJSON(text: string): list<any>
  try
    return [json_decode(text)]
  catch
    return []
  endtry
enddef

# Asks until the answer is a value of the schema, and returns that in a list; an empty one where it is left out, and
# null where the user doesn't want to say. `given` is a list of what the answer is until the user changes it, or empty.
def AskMember(name: string, schema: any, definitions: dict<any>, is_required: bool, given: list<any>): any
  var [inner, is_nullable] = WithoutNull(schema, definitions)
  var field = Field(inner)
  var may_miss = is_nullable || !is_required
  var words = may_miss ? field.words .. ', or nothing' : field.words
  var default = empty(given) ? '' : Word(given[0])
  while true
    var text = ask.Text($'{name} ({words}): ', default)
    if type(text) == v:t_none
      return null
    elseif text ==# '' && may_miss
      return []
    endif
    var value = field.Read(text)
    if !empty(value)
      return value
    endif
    words = $'{field.words}, not "{text}"'
    default = ''
  endwhile
  return null
enddef

# The members that an object lacks: required ones first, as the schema lists them; the others by name.
def MissingMembers(object: dict<any>, schema: dict<any>): list<string>
  var required = get(schema, 'required', [])
  var others = keys(get(schema, 'properties', {}))->filter((_, name) => index(required, name) < 0)->sort()
  return (required + others)->filter((_, name) => !has_key(object, name))
enddef

# Asks for the members of an object that has some already, and calls Act with it. `given` has what is offered.
def AskMembers(object: dict<any>, schema: dict<any>, definitions: dict<any>, given: dict<any>, Act: func)
  for name in MissingMembers(object, schema)
    var is_required = index(get(schema, 'required', []), name) >= 0
    var offered = has_key(given, name) ? [given[name]] : []
    var value = AskMember(name, get(get(schema, 'properties', {}), name, {}), definitions, is_required, offered)
    if type(value) == v:t_none
      return
    elseif !empty(value)
      object[name] = value[0]
    endif
  endfor
  Act(object)
enddef

# The kinds of event that a schema allows, each with its schema.
def Kinds(of: any, definitions: dict<any>): list<any>
  var schema = Resolved(of, definitions)
  var kinds = []
  for choice in get(schema, 'oneOf', get(schema, 'anyOf', [schema]))
    var form = Resolved(choice, definitions)
    var kind = Resolved(get(get(form, 'properties', {}), 'kind', {}), definitions)
    for name in has_key(kind, 'enum') ? kind.enum : has_key(kind, 'const') ? [kind.const] : []
      add(kinds, {name: name, schema: form})
    endfor
  endfor
  return kinds
enddef

def AskJSON(view: dict<any>, Act: func)
  var text = ask.Text('Event (JSON): ', '{"kind":"')
  if type(text) == v:t_none
    return
  endif
  var read = ReadJSON(text)
  if !empty(read) && type(read[0]) == v:t_dict
    Act(read[0])
  else
    views.Say(view, 'that is no JSON object')
  endif
enddef

# Lets the user choose one of these kinds of event, and asks for its members.
def AskKind(view: dict<any>, kinds: list<any>, Given: func, Act: func)
  var definitions = get(view.description, '$defs', {})
  ask.Choice('Event', kinds->mapnew((_, kind) => kind.name), (name) => {
    var chosen = copy(kinds)->filter((_, kind) => kind.name ==# name)[0]
    AskMembers(extend({kind: name}, Given(chosen.schema)), chosen.schema, definitions,
      events.OldestUnsent(view, name), Act)
  })
enddef

def AskDescribed(view: dict<any>, Act: func)
  var kinds = Kinds(view.description.viewEvent, get(view.description, '$defs', {}))
  if empty(kinds)
    AskJSON(view, Act)
  else
    AskKind(view, kinds, (_) => ({}), Act)
  endif
enddef

# Of the members that tell a row, those that an event of a schema has.
def RowMembers(schema: dict<any>, row: dict<any>): dict<any>
  var properties = get(schema, 'properties', {})
  return copy(row)->filter((name, _) => has_key(properties, name))
enddef

# Calls Act with the event that the user wants to send about a row of a list, where `row` has the `index` and perhaps
# the `id` that tell which it is. Only events with such a member are offered, those of the kind `usual` first, and it is
# filled in.
export def AskEventOfRow(view: dict<any>, row: dict<any>, usual: string, Act: func)
  var definitions = get(view.description, '$defs', {})
  var kinds = Kinds(view.description.viewEvent, definitions)
    ->filter((_, kind) => !empty(RowMembers(kind.schema, row)))
  if empty(kinds)
    views.Say(view, 'no event is about a row')
  elseif len(kinds) == 1
    var event = extend({kind: kinds[0].name}, RowMembers(kinds[0].schema, row))
    AskMembers(event, kinds[0].schema, definitions, {}, Act)
  else
    var first = copy(kinds)->filter((_, kind) => kind.name ==# usual)
    var others = copy(kinds)->filter((_, kind) => kind.name !=# usual)
    AskKind(view, first + others, (schema) => RowMembers(schema, row), Act)
  endif
enddef

# Calls Act with the event that the user wants to send, or doesn't.
export def AskEvent(view: dict<any>, Act: func)
  if view.state ==# 'ended'
    views.Say(view, "can't send")
  elseif !empty(view.description)
    AskDescribed(view, Act)
  elseif view.client.state !=# 'open'
    views.Say(view, "can't ask what it takes")
  else
    views.Say(view, 'asking what it takes…')
    views.Describe(view, (error) => Described(view, error, Act))
  endif
enddef

def Described(view: dict<any>, error: any, Act: func)
  if type(error) == v:t_none
    views.Say(view, '')
    AskDescribed(view, Act)
  else
    # That there is no connection is said already.
    views.Say(view, "can't ask what it takes" .. (error.code == clients.lost ? '' : ': ' .. error.message))
  endif
enddef

# Calls Act with the arguments that a view model needs, or with null where it needs none. It isn't called where
# the user cancels. Arguments that may be left out aren't asked for.
export def AskArguments(description: dict<any>, Act: func)
  var definitions = get(description, '$defs', {})
  var schema = Resolved(get(description, 'arguments', {}), definitions)
  var required = get(schema, 'required', [])
  if empty(required)
    Act(null)
    return
  endif
  var properties = copy(get(schema, 'properties', {}))->filter((name, _) => index(required, name) >= 0)
  AskMembers({}, {required: required, properties: properties}, definitions, {}, Act)
enddef
