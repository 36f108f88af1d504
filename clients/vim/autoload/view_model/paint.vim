vim9script
# Writes what a view shows into its buffer.

import autoload 'view_model/events.vim'
import autoload 'view_model/highlights.vim'
import autoload 'view_model/json_text.vim'
import autoload 'view_model/status.vim' as statuses
import autoload 'view_model/unsent.vim' as unsents
import autoload 'view_model/view.vim' as views

# The lines above those of the view: its title, its keys and its state.
export const head_height = 3

highlights.Define()

def Help(view: dict<any>): string
  return copy(view.keys)->filter((_, key) => key[1] !=# '')
    ->mapnew((_, key) => (key[0] ==# '<CR>' ? 'Enter' : key[0]) .. ' ' .. key[1])->join('   ')
enddef

def EventLine(label: string, numbered: dict<any>): list<any>
  var mark = numbered.was_sent ? '  (sent, and not answered)' : ''
  return [[label .. json_text.Event(numbered.event), 'ViewModelMark'], [mark]]
enddef

# The events that this view's session didn't take yet, and those that no session took.
export def EventLines(view: dict<any>): list<any>
  var lines = []
  var held = events.Held(view)
  if events.WaitingCount(view) > 0 || !empty(held)
    lines += ['', [[empty(held) ? 'Waits to be sent' : 'Not answered yet', 'ViewModelTitle']]]
    lines += (held ?? view.outbox.events)->mapnew((_, numbered) => EventLine('', numbered))
  endif
  var unsent = views.Root(view).unsent
  if view.is_presented || empty(unsent)
    return lines
  endif
  var [all, sent] = unsents.Counts(unsent)
  var title = sent == 0 ? 'Not sent' : sent == all ? 'Not answered' : 'Not sent or not answered'
  lines += ['', [[title, 'ViewModelTitle'], ['   D forget it', 'ViewModelKeys']]]
  var own = events.Label(view)
  return lines + unsent->mapnew((_, one) => EventLine(one.label ==# own ? '' : one.label .. ': ', one))
enddef

def ThirdLine(view: dict<any>): list<any>
  var state = statuses.Of(view)
  var here = statuses.Here(view)
  return [[state, 'ViewModelStatus'], [state ==# '' || here ==# '' ? '' : '; '], [here, 'ViewModelHere']]
enddef

# The lines that show the view model.
def Content(view: dict<any>): list<any>
  var lines = views.Ask(view, 'Lines', [view], [])
  var head = [
    [[views.Ask(view, 'Title', [view], view.name), 'ViewModelTitle']],
    [[Help(view), 'ViewModelKeys']],
    ThirdLine(view),
  ]
  return head + lines
enddef

# A buffer's line is one line, whatever is in its text.
def OneLine(text: string): string
  return tr(text, "\n", ' ')
enddef

def Text(line: any): string
  return OneLine(type(line) == v:t_string ? line : line->mapnew((_, part) => part[0])->join(''))
enddef

def Highlight(buffer: number, number: number, line: any)
  if type(line) == v:t_string
    return
  endif
  var column = 1
  for part in line
    if len(part) > 1 && part[0] !=# ''
      prop_add(number, column, {bufnr: buffer, length: len(part[0]), type: part[1]})
    endif
    column += len(part[0])
  endfor
enddef

def HasEvents(view: dict<any>): bool
  return events.WaitingCount(view) > 0 || !empty(events.Held(view)) || (empty(view.host) && !empty(view.unsent))
enddef

def Dim(buffer: number, first: number, last: number)
  for number in range(first, last)
    var length = getbufline(buffer, number)[0]->len()
    if length > 0
      prop_add(number, 1, {bufnr: buffer, length: length, type: 'ViewModelStale'})
    endif
  endfor
enddef

def Write(view: dict<any>, lines: list<any>)
  var buffer: number = view.buffer
  view.texts = lines->mapnew((_, line) => Text(line))
  setbufvar(buffer, '&modifiable', true)
  prop_clear(1, getbufinfo(buffer)[0].linecount, {bufnr: buffer})
  setbufline(buffer, 1, view.texts)
  silent deletebufline(buffer, len(lines) + 1, '$')
  setbufvar(buffer, '&modifiable', false)
  setbufvar(buffer, '&modified', HasEvents(view)) # so that `:quit` says that something isn't done
  for number in range(len(lines))
    Highlight(buffer, number + 1, lines[number])
  endfor
enddef

def DimStale(view: dict<any>)
  if view.painted.is_stale
    Dim(view.buffer, 1, 1)
    Dim(view.buffer, head_height + 1, len(view.painted.content))
  endif
enddef

# The cursor waits on the first line of the view itself.
def LeaveHead(view: dict<any>)
  if len(view.texts) <= head_height || get(view, 'was_below_head', false)
    return
  endif
  view.was_below_head = true
  for window in win_findbuf(view.buffer)
    if line('.', window) <= head_height
      win_execute(window, $'cursor({head_height + 1}, 1)')
    endif
  endfor
enddef

# The state is shown at the bottom where a long list hides the head.
def SayHead(view: dict<any>)
  var status = statuses.Of(view)
  var here = statuses.Here(view)
  var head = status ==# '' && here !=# '' ? here : status ==# '' ? views.Ask(view, 'Title', [view], view.name) : status
  var is_new = head !=# get(view, 'said_head', '')
  view.said_head = head
  if !is_new || bufnr() != view.buffer || line('w0') <= head_height || mode() !=# 'n'
    return
  endif
  # A longer line would have to be answered.
  execute 'echohl' status ==# '' ? 'ViewModelHere' : 'ViewModelStatus'
  echo strcharpart(head, 0, &columns - 12)
  echohl None
enddef

# Paints a view now.
export def Paint(view: dict<any>)
  view.is_paint_requested = false
  if view.buffer == 0 || !bufloaded(view.buffer)
    return
  endif
  var content = Content(view)
  var painted = {content: content, events: EventLines(view), is_stale: statuses.IsStale(view)}
  # Each painting takes a message from the screen, which the user may not have read.
  if painted != get(view, 'painted', {}) || getbufline(view.buffer, 1, '$') != view.texts
    view.painted = painted
    Write(view, content + painted.events)
    DimStale(view)
  endif
  LeaveHead(view)
  if has_key(view.type, 'Painted')
    views.Ask(view, 'Painted', [view])
  endif
  SayHead(view)
enddef

# Paints a view soon, once for all that comes together.
export def Request(view: dict<any>)
  if get(view, 'is_paint_requested', false)
    return
  endif
  view.is_paint_requested = true
  timer_start(0, (_) => Paint(view))
enddef
