vim9script
# Any view model: its lists, the newest event of each other kind, the last events, and every view event to send.

import autoload 'view_model/events.vim'
import autoload 'view_model/forms.vim'
import autoload 'view_model/json_text.vim'
import autoload 'view_model/lists.vim'
import autoload 'view_model/paint.vim'
import autoload 'view_model/rows.vim' as row_lists
import autoload 'view_model/view.vim' as views
import autoload 'view_model/views/list.vim' as list_views

const kept_events = 10
const first_rows = 5 # of each list, beside all else

export def Type(): dict<any>
  return {
    New: () => ({kinds: [], newest: {}, last: []}),
    Apply: Apply,
    Title: (view) => view.shown_list ==# '' ? view.name : list_views.Title(view),
    Lines: (view) => view.shown_list ==# '' ? Lines(view) : list_views.Lines(view),
    Painted: (view) => view.shown_list ==# '' ? Painted(view) : list_views.Painted(view),
    wants_description: true, # so that one can be asked for an event while there is no connection
    KeysNow: (view) => view.shown_list !=# '' ? list_views.keys : views.LooksOnly(view) ? keys_to_look : keys,
  }
enddef

def Send(view: dict<any>)
  forms.AskEvent(view, (event) => events.SendTyped(view, event))
enddef

# Shows the list at a line in its whole length.
def Enter(view: dict<any>, line: number)
  var places = ListPlaces(view)
  if line >= 1 && line <= len(places)
    list_views.Open(view, places[line - 1][0], max([0, places[line - 1][1]]))
  elseif !views.LooksOnly(view)
    Send(view)
  endif
enddef

def Apply(model: dict<any>, event: dict<any>)
  if !has_key(model.newest, event.kind)
    add(model.kinds, event.kind)
  endif
  model.newest[event.kind] = event
  model.last = [event] + model.last[: kept_events - 2]
enddef

def NewestLines(event: dict<any>): list<any>
  var content = json_text.Content(event)
  var text = empty(content) ? [] : json_text.Lines(content[0])
  if len(text) <= 1
    return [[[event.kind, 'ViewModelLabel'], [empty(text) ? '' : '  ' .. text[0]]]]
  endif
  return [[[event.kind, 'ViewModelLabel']]] + text->mapnew((_, line) => '  ' .. line)
enddef

def LastLine(event: dict<any>): list<any>
  var content = json_text.Content(event)
  return [[event.kind, 'ViewModelLabel'], [empty(content) ? '' : '  ' .. json_text.Line(content[0])]]
enddef

# What the lines of the lists show: each is the name of a list with the index of a row, or with -1 for its head.
def ListPlaces(view: dict<any>): list<any>
  var places = []
  for name in lists.Names(view)
    var shown = min([first_rows, lists.Named(view, name).count])
    places += range(-1, shown - 1)->mapnew((_, index) => [name, index])
  endfor
  return places
enddef

# The cursor comes back to the list that was left.
def Painted(view: dict<any>)
  var place = index(ListPlaces(view), [get(view, 'left_list', ''), -1])
  if place >= 0
    view.left_list = ''
    for window in win_findbuf(view.buffer)
      win_execute(window, $'cursor({paint.head_height + place + 1}, 1)')
    endfor
  endif
enddef

def ListLine(view: dict<any>, name: string, index: number): list<any>
  var rows = lists.Named(view, name)
  if index < 0
    return [[name, 'ViewModelLabel'], [rows.count == 1 ? '  1 row' : $'  {rows.count} rows'],
      ['   Enter shows all', 'ViewModelKeys']]
  endif
  return [['  ' .. (row_lists.Has(rows, index) ? json_text.Line(row_lists.Row(rows, index)) : '…')]]
enddef

def ListLines(view: dict<any>): list<any>
  for name in lists.Names(view)
    row_lists.Show(lists.Named(view, name), 0, first_rows)
  endfor
  return ListPlaces(view)->mapnew((_, place) => ListLine(view, place[0], place[1]))
enddef

def Lines(view: dict<any>): list<any>
  var model = view.model
  var lines = ListLines(view)
  if empty(lines) && empty(model.last)
    return ['No events yet.']
  endif
  var names = lists.Names(view)
  var kinds = model.kinds->copy()->filter((_, kind) => index(names, kind) < 0)
  lines += empty(lines) || empty(kinds) ? [] : ['']
  for kind in kinds
    lines += NewestLines(model.newest[kind])
  endfor
  lines += ['', [['Last events', 'ViewModelTitle']]]
  return lines + model.last->mapnew((_, event) => LastLine(event))
enddef

const keys = [
  ['s', 'send an event', (view, _) => Send(view)],
  ['<CR>', 'the same', (view, line) => Enter(view, line)],
]

const keys_to_look = [keys[0], ['<CR>', 'all of a list', keys[1][2], true]]
