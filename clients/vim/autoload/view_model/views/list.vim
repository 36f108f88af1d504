vim9script
# A list in its whole length: one of any view model, or all that a view with a member `list` shows. Only the lines in
# the window are in the buffer, so that all that moves the cursor further has a key of its own here; all else, such as
# a search or the mouse, moves it among these.

import autoload 'view_model/events.vim'
import autoload 'view_model/forms.vim'
import autoload 'view_model/json_text.vim'
import autoload 'view_model/lists.vim'
import autoload 'view_model/paint.vim'
import autoload 'view_model/rows.vim' as row_lists
import autoload 'view_model/view.vim' as views

const least_height = 5

# The list that is shown.
def Shown(view: dict<any>): dict<any>
  return lists.Named(view, view.shown_list)
enddef

# Shows a list, with the cursor at a row.
export def Open(view: dict<any>, name: string, index: number)
  view.shown_list = name
  view.list_line = 0
  MoveTo(view, index)
  views.KeysChanged(view)
enddef

def Close(view: dict<any>)
  view.left_list = view.shown_list
  view.shown_list = ''
  view.message = ''
  views.KeysChanged(view)
  views.Changed(view)
enddef

# The window

def Windows(view: dict<any>): list<number>
  return win_findbuf(view.buffer) + popup_list()->filter((_, popup) => winbufnr(popup) == view.buffer)
enddef

# How many rows fit on screen, above the events that wait, but a few in any case. A popup takes the height that it
# needs; out of sight, they are as many as before.
def Height(view: dict<any>): number
  var heights = win_findbuf(view.buffer)->mapnew((_, window) => winheight(window))
  view.list_height = empty(heights) ? get(view, 'list_height', &lines - 6) : min(heights)
  var room: number = view.list_height - paint.head_height
  return max([1, min([room, least_height]), room - len(paint.EventLines(view))])
enddef

# Takes it in where the user has moved the cursor without the keys of the list.
def FollowCursor(view: dict<any>)
  var windows = Windows(view)
  if view.list_line == 0 || empty(windows)
    return
  endif
  var window = index(windows, win_getid()) >= 0 ? win_getid() : windows[0]
  var line = max([line('.', window), paint.head_height + 1])
  if line != view.list_line
    var rows = Shown(view)
    Place(rows, rows.cursor, rows.cursor.index + line - view.list_line)
    view.list_line = line
  endif
enddef

def Place(rows: dict<any>, place: dict<any>, index: number)
  row_lists.Place(rows, place, max([0, min([index, rows.count - 1])]))
enddef

# Scrolls as far as it takes to have the cursor on screen, which is in the middle after a jump.
def Scroll(rows: dict<any>, height: number)
  var cursor: number = rows.cursor.index
  var last_top = max([0, rows.count - height])
  var top: number = rows.top.index
  if cursor < top - height || cursor >= top + 2 * height
    top = cursor - height / 2
  elseif cursor < top
    top = cursor
  elseif cursor >= top + height
    top = cursor - height + 1
  endif
  top = max([0, min([top, last_top])])
  if top != rows.top.index
    row_lists.Place(rows, rows.top, top)
  endif
enddef

# How long a line may be, so that each row is one.
def Width(view: dict<any>): number
  var widths = Windows(view)->mapnew((_, window) => TextWidth(window))
  return empty(widths) || win_gettype(Windows(view)[0]) ==# 'popup' ? &columns - 10 : min(widths)
enddef

# Beside, since a lambda with a block makes Vim 9.0 ask for Enter after the next command.
def TextWidth(window: number): number
  var about = getwininfo(window)[0]
  return about.width - about.textoff
enddef

def RowLine(view: dict<any>, index: number, width: number): list<any>
  var rows = Shown(view)
  var number = printf('%*d  ', len(string(rows.count)), index + 1)
  if !row_lists.Has(rows, index)
    return [[number, 'ViewModelLabel'], ['…', 'ViewModelKeys']]
  endif
  var room = max([1, width - len(number)])
  return [[number, 'ViewModelLabel'], [printf('%.*S', room, json_text.Line(row_lists.Row(rows, index)))]]
enddef

export def Title(view: dict<any>): string
  FollowCursor(view)
  var rows = Shown(view)
  var place = rows.count == 0 ? 'no rows' : $'row {rows.cursor.index + 1} of {rows.count}'
  return $'{view.name}: {rows.name}   {place}'
enddef

# Asks for the rows that it shows, too.
export def Lines(view: dict<any>): list<any>
  FollowCursor(view)
  var rows = Shown(view)
  var height = Height(view)
  Scroll(rows, height)
  var top: number = rows.top.index
  row_lists.Show(rows, top, height)
  var width = Width(view)
  var LineOf = get(view.type, 'RowLine', RowLine)
  return range(top, min([top + height, rows.count]) - 1)->mapnew((_, index) => LineOf(view, index, width))
enddef

# Puts the cursor on its row.
export def Painted(view: dict<any>)
  var rows = Shown(view)
  var line: number = paint.head_height + 1 + rows.cursor.index - rows.top.index
  var windows = Windows(view)
  for window in windows
    if line('.', window) != line || line('w0', window) != 1
      win_execute(window, $'winrestview({{topline: 1, lnum: {line}, col: 0}})')
    endif
  endfor
  view.list_line = empty(windows) ? 0 : line
enddef

# Moving

# Rows that the server didn't give are asked for again.
def MoveTo(view: dict<any>, index: number)
  var rows = Shown(view)
  row_lists.AskAnew(rows)
  view.message = ''
  Place(rows, rows.cursor, index)
  views.Changed(view)
enddef

def MoveBy(view: dict<any>, count: number)
  FollowCursor(view)
  MoveTo(view, Shown(view).cursor.index + count)
enddef

# Scrolls by so many rows. The cursor comes along, and else keeps its row as long as that is on screen.
def ScrollBy(view: dict<any>, count: number, takes_cursor: bool)
  FollowCursor(view)
  var rows = Shown(view)
  var height = Height(view)
  var top = max([0, min([rows.top.index + count, rows.count - height])])
  Place(rows, rows.top, top)
  var cursor = rows.cursor.index + (takes_cursor ? count : 0)
  MoveTo(view, max([top, min([cursor, top + height - 1])]))
enddef

# Scrolls so that the cursor is so many rows below the window's first.
def ScrollTo(view: dict<any>, Above: func)
  FollowCursor(view)
  ScrollBy(view, Shown(view).cursor.index - Above(Height(view)) - Shown(view).top.index, false)
enddef

# Moves the cursor within the window, which may not be painted yet.
def MoveInside(view: dict<any>, Offset: func)
  var rows = Shown(view)
  FollowCursor(view)
  Scroll(rows, Height(view))
  MoveTo(view, rows.top.index + Offset(min([Height(view), rows.count])))
enddef

def Half(view: dict<any>): number
  return v:count > 0 ? v:count : max([1, Height(view) / 2])
enddef

def Page(view: dict<any>): number
  return v:count1 * max([1, Height(view) - 2])
enddef

def Percent(view: dict<any>)
  if v:count > 0
    MoveTo(view, (v:count * Shown(view).count + 99) / 100 - 1)
  endif
enddef

# Events

# The index of the row that the cursor is on; -1 where any row may be another now, and that one isn't here yet.
export def Current(view: dict<any>): number
  FollowCursor(view)
  var rows = Shown(view)
  return row_lists.Has(rows, rows.cursor.index) || !rows.cursor.is_lost ? rows.cursor.index : -1
enddef

def Choose(view: dict<any>)
  FollowCursor(view)
  var rows = Shown(view)
  var index: number = rows.cursor.index
  if !row_lists.Has(rows, index)
    views.Say(view, rows.count == 0 ? 'there is no row' : "the row isn't here yet")
    return
  elseif view.state ==# 'ended'
    views.Say(view, "can't send")
    return
  endif
  row_lists.Place(rows, rows.chosen, index)
  var row: dict<any> = {index: index}
  for id in row_lists.Identity(rows, row_lists.Row(rows, index))
    row.id = id
  endfor
  forms.AskEventOfRow(view, row, rows.usual_event, (event) => Send(view, rows, event))
enddef

# The row may be elsewhere by now.
def Send(view: dict<any>, rows: dict<any>, event: dict<any>)
  if has_key(event, 'index')
    if rows.chosen.index < 0 || rows.chosen.is_lost
      views.Say(view, 'not sent: the row is gone, or may be another')
      return
    endif
    event.index = rows.chosen.index
  endif
  rows.usual_event = event.kind
  events.SendTyped(view, event)
enddef

export const motions = [
  ['j', '', (view, _) => MoveBy(view, v:count1)], ['<Down>', '', (view, _) => MoveBy(view, v:count1)],
  ['k', '', (view, _) => MoveBy(view, -v:count1)], ['<Up>', '', (view, _) => MoveBy(view, -v:count1)],
  ['<C-D>', '', (view, _) => ScrollBy(view, Half(view), true)],
  ['<C-U>', '', (view, _) => ScrollBy(view, -Half(view), true)],
  ['<C-F>', '', (view, _) => ScrollBy(view, Page(view), true)],
  ['<PageDown>', '', (view, _) => ScrollBy(view, Page(view), true)],
  ['<C-B>', '', (view, _) => ScrollBy(view, -Page(view), true)],
  ['<PageUp>', '', (view, _) => ScrollBy(view, -Page(view), true)],
  ['<C-E>', '', (view, _) => ScrollBy(view, v:count1, false)],
  ['<C-Y>', '', (view, _) => ScrollBy(view, -v:count1, false)],
  ['<ScrollWheelDown>', '', (view, _) => ScrollBy(view, 3, false)],
  ['<ScrollWheelUp>', '', (view, _) => ScrollBy(view, -3, false)],
  ['G', '', (view, _) => MoveTo(view, v:count > 0 ? v:count - 1 : Shown(view).count - 1)],
  ['<C-End>', '', (view, _) => MoveTo(view, Shown(view).count - 1)],
  ['gg', '', (view, _) => MoveTo(view, v:count1 - 1)], ['<C-Home>', '', (view, _) => MoveTo(view, 0)],
  ['%', '', (view, _) => Percent(view)],
  ['H', '', (view, _) => MoveInside(view, (height) => min([v:count1, height]) - 1)],
  ['M', '', (view, _) => MoveInside(view, (height) => (height - 1) / 2)],
  ['L', '', (view, _) => MoveInside(view, (height) => height - min([v:count1, height]))],
  ['zt', '', (view, _) => ScrollTo(view, (_) => 0)],
  ['zz', '', (view, _) => ScrollTo(view, (height) => height / 2)],
  ['zb', '', (view, _) => ScrollTo(view, (height) => height - 1)],
]

export const keys = [
  ['<CR>', 'send an event about the row', (view, _) => Choose(view)],
  ['q', 'back', (view, _) => Close(view), true],
] + motions
