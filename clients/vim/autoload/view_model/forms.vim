vim9script
# Asks the user for a view event: its kind, and each of its members, by the JSON Schemas of `viewModel/describe`.

import autoload 'view_model/ask.vim'
import autoload 'view_model/client.vim' as clients
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
    return {words: 'number', Read: (text) => text =~ '^[+-]\?\d\+\(\.\d*\)\?\([eE][+-]\?\d\+\)\?$' ? [str2float(text)] : []}
  elseif type ==# 'string'
    return {words: 'text', Read: (text) => [text]}
  endif
  return {words: 'JSON', Read: ReadJSON}
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

# Asks until the answer is a value of the schema, and returns that in a list; an empty one where it is left out, and null
# where the user doesn't want to say.
def AskMember(name: string, schema: any, definitions: dict<any>, is_required: bool): any
  var [inner, is_nullable] = WithoutNull(schema, definitions)
  var field = Field(inner)
  var may_miss = is_nullable || !is_required
  var words = may_miss ? field.words .. ', or nothing' : field.words
  while true
    var text = ask.Text($'{name} ({words}): ')
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
  endwhile
  return null
enddef

# Required members first, as the schema lists them; the others by name.
def Members(schema: dict<any>): list<string>
  var required = get(schema, 'required', [])
  var others = keys(get(schema, 'properties', {}))->filter((_, name) => index(required, name) < 0)->sort()
  return (required + others)->filter((_, name) => name !=# 'kind')
enddef

def AskMembers(kind: string, schema: dict<any>, definitions: dict<any>, Act: func)
  var event: dict<any> = {kind: kind}
  for name in Members(schema)
    var is_required = index(get(schema, 'required', []), name) >= 0
    var value = AskMember(name, get(get(schema, 'properties', {}), name, {}), definitions, is_required)
    if type(value) == v:t_none
      return
    elseif !empty(value)
      event[name] = value[0]
    endif
  endfor
  Act(event)
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

def AskDescribed(view: dict<any>, Act: func)
  var definitions = get(view.description, '$defs', {})
  var kinds = Kinds(view.description.viewEvent, definitions)
  if empty(kinds)
    AskJSON(view, Act)
    return
  endif
  ask.Choice('Event', kinds->mapnew((_, kind) => kind.name), (name) => {
    var chosen = copy(kinds)->filter((_, kind) => kind.name ==# name)[0]
    AskMembers(name, chosen.schema, definitions, Act)
  })
enddef

# Calls Act with the event that the user wants to send, or doesn't.
export def AskEvent(view: dict<any>, Act: func)
  if !empty(view.description)
    AskDescribed(view, Act)
  elseif view.state !=# 'live'
    views.Say(view, 'there is no connection to ask what it takes')
  else
    clients.Request(view.client, 'viewModel/describe', {viewModel: view.name}, (error, result) => {
      if type(error) != v:t_none
        views.Say(view, error.message)
        return
      endif
      view.description = result
      AskDescribed(view, Act)
    })
  endif
enddef
