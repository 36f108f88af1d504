vim9script
# The lists of a view, by their names: those that were asked for, and those of which the server has told something.

import autoload 'view_model/rows.vim' as row_lists

const members = ['kind', 'count', 'changes', 'first', 'rows']

# The list of this name.
export def Named(view: dict<any>, name: string): dict<any>
  if !has_key(view.lists, name)
    view.lists[name] = row_lists.New(view, name)
  endif
  return view.lists[name]
enddef

# The names of the lists that the contract has; none while it isn't known.
export def Names(view: dict<any>): list<string>
  return keys(get(view.description, 'lists', {}))->sort()
enddef

def IsCount(value: any): bool
  return type(value) == v:t_number && value >= 0
enddef

def IsEdit(edit: any): bool
  return type(edit) == v:t_dict && IsCount(get(edit, 'at', null)) && IsCount(get(edit, 'removed', null))
    && IsCount(get(edit, 'inserted', null))
enddef

# Whether an event is one of a list. Nobody may have said yet which kinds are; to take another for one costs little.
def IsChange(event: dict<any>): bool
  if !IsCount(get(event, 'count', null)) || !empty(keys(event)->filter((_, name) => index(members, name) < 0))
    return false
  endif
  var edits = get(event, 'changes', [])
  var rows = get(event, 'rows', [])
  return type(edits) == v:t_list && edits->copy()->filter((_, edit) => !IsEdit(edit))->empty()
    && type(rows) == v:t_list && (!has_key(event, 'rows') || IsCount(get(event, 'first', null)))
enddef

# Takes an event of the view model, which may be one of a list.
export def Take(view: dict<any>, event: dict<any>, seq: number)
  if IsChange(event)
    row_lists.Change(Named(view, event.kind), event, seq)
  endif
enddef

# All lists are as a snapshot says, and those of which it says nothing are empty.
export def Replace(view: dict<any>, snapshot: list<any>, seq: number)
  var told = {}
  for event in snapshot
    if IsChange(event)
      told[event.kind] = event
      Named(view, event.kind)
    endif
  endfor
  for [name, rows] in items(view.lists)
    var event = copy(get(told, name, {count: 0}))
    row_lists.Change(rows, has_key(event, 'changes') ? extend(event, {changes: null}) : event, seq)
  endfor
enddef

# The view is attached to another session, or to none: what was asked for won't be answered.
export def Leave(view: dict<any>)
  for rows in values(view.lists)
    row_lists.Leave(rows)
  endfor
enddef

# The session is forgotten, and all lists are empty.
export def Forget(view: dict<any>)
  Leave(view)
  Replace(view, [], 0)
enddef
