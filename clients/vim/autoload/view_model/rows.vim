vim9script
# A list of a view model: how many rows it has, and those of them that are here, which are those on screen and some
# before and after them.
#
# They are those of one version of the list, that of its last event. An answer may be used when it comes: it follows the
# events up to its number, and has the rows as they are then.

import autoload 'view_model/client.vim' as clients
import autoload 'view_model/places.vim'
import autoload 'view_model/view.vim' as views

const request_cancelled = -32800
const unknown_session = -32012

# How many rows are kept on each side of those on screen: so many, or so many screens.
const kept_rows = 500
const kept_screens = 5

# Rows that a server gives at once unless it says something else.
const usual_limit = 1000

export def New(view: dict<any>, name: string): dict<any>
  return {
    view: view,
    name: name,
    count: 0,             # of all rows
    seq: 0,               # of the event that the rows are as old as
    by_index: {},
    window: {first: 0, count: 0}, # what is on screen
    cursor: places.New(), # the row that the user is at
    top: places.New(),    # the first row on screen
    chosen: places.New(true), # the row that an event is being made for
    usual_event: '',      # the kind of event that was sent last about a row
    request: {},          # the one that isn't answered
    is_stalled: false,    # asking again for the same would get nothing
    is_short: false,      # the server gives fewer rows than are asked for
  }
enddef

def Places(rows: dict<any>): list<dict<any>>
  return [rows.cursor, rows.top, rows.chosen]
enddef

export def Has(rows: dict<any>, index: number): bool
  return has_key(rows.by_index, index)
enddef

# The row at an index; null where it isn't here (yet).
export def Row(rows: dict<any>, index: number): any
  return get(rows.by_index, index, null)
enddef

# What the contract says of the list. Where there is none yet, rows are known by their `id`.
def Described(rows: dict<any>): dict<any>
  var description = rows.view.description
  return empty(description) ? {id: 'id'} : get(get(description, 'lists', {}), rows.name, {})
enddef

# What a row is known by, in a list; an empty one where it has no identity.
export def Identity(rows: dict<any>, row: any): list<any>
  var member = get(Described(rows), 'id', '')
  var id: any = type(row) == v:t_dict ? get(row, member, null) : null
  return type(id) == v:t_none ? [] : [id]
enddef

def IdentityText(rows: dict<any>, row: any): string
  var identity = Identity(rows, row)
  return empty(identity) ? '' : json_encode(identity[0])
enddef

# Moves a place of this list to an index.
export def Place(rows: dict<any>, place: dict<any>, index: number)
  places.Set(place, index, IdentityText(rows, Row(rows, index)))
enddef

# Events

# Takes an event of the list, or its part of a snapshot.
export def Change(rows: dict<any>, event: dict<any>, seq: number)
  var edits: any = get(event, 'changes', null)
  # Edits that lead elsewhere are no better than none.
  var is_edit = type(edits) == v:t_list && places.CountAfter(edits, rows.count) == event.count
  var was_empty = rows.count == 0
  rows.seq = seq
  rows.count = event.count
  rows.by_index = is_edit ? Edited(rows.by_index, edits) : {}
  for place in Places(rows)
    if !is_edit
      places.Reset(place)
    elseif !was_empty # where there was no row, no place is after one
      places.Edit(place, edits)
    endif
    places.Limit(place, rows.count)
  endfor
  if has_key(event, 'rows')
    Fill(rows, event.first, event.rows)
  endif
  AskAnew(rows)
enddef

def Edited(by_index: dict<any>, edits: list<any>): dict<any>
  var edited = {}
  for [index, row] in items(by_index)
    var place = places.IndexAfter(edits, str2nr(index))
    if place >= 0
      edited[place] = row
    endif
  endfor
  return edited
enddef

# Returns how many of the rows weren't here.
def Fill(rows: dict<any>, first: number, given: list<any>): number
  var fitting = copy(given)->filter((offset, _) => first + offset < rows.count)
  var before = len(rows.by_index)
  for offset in range(len(fitting))
    rows.by_index[first + offset] = fitting[offset]
  endfor
  var ids = fitting->mapnew((_, row) => IdentityText(rows, row))
  for place in Places(rows)
    places.Came(place, first, ids)
  endfor
  return len(rows.by_index) - before
enddef

# Requests

# Says which rows are on screen: they are asked for, with those of a screen before and after them. It is called with
# each painting, and so after each change.
export def Show(rows: dict<any>, first: number, count: number)
  var window = {first: max([0, first]), count: max([0, count])}
  if window != rows.window
    rows.window = window
    AskAnew(rows)
  endif
  Trim(rows)
  if rows.view.state !=# 'live'
    return
  elseif !empty(rows.request)
    CancelUnwanted(rows)
  elseif !rows.is_stalled
    Ask(rows)
  endif
enddef

# What the server says to a request that is on its way doesn't hold for what is asked for next.
export def AskAnew(rows: dict<any>)
  rows.is_stalled = false
  if !empty(rows.request)
    rows.request.is_old = true
  endif
enddef

# The session is left, or was never there: nothing will be answered.
export def Leave(rows: dict<any>)
  rows.request = {}
  rows.is_stalled = false
enddef

# The indices of the rows on screen, with so many more on each side: the first, and the one after the last.
def Around(rows: dict<any>, more: number): list<number>
  var first: number = rows.window.first
  return [min([max([0, first - more]), rows.count]), min([first + rows.window.count + more, rows.count])]
enddef

def CancelUnwanted(rows: dict<any>)
  var [first, end] = Around(rows, rows.window.count)
  var request = rows.request
  if !request.is_cancelled && (request.first >= end || request.end <= first)
    request.is_cancelled = true
    clients.Cancel(rows.view.client, request.id)
  endif
enddef

def Missing(rows: dict<any>, part: list<number>): list<number>
  return range(part[0], part[1] - 1)->filter((_, index) => !has_key(rows.by_index, index))
enddef

def Ask(rows: dict<any>)
  # Half of what is read ahead may be used up, so that not each line of scrolling is a request.
  var near = Missing(rows, Around(rows, rows.window.count / 2))
  if empty(near)
    return
  endif
  var screen = Around(rows, 0)
  var wanted = Missing(rows, Around(rows, rows.window.count))
  # With those on screen, so that the server knows which these are, and tells them with their changes.
  var first = min([wanted[0], screen[0]])
  var end = max([wanted[-1] + 1, screen[1]])
  var limit = get(rows.view.client.limits, 'rows', usual_limit)
  if !rows.is_short && end - first <= limit
    Send(rows, {first: first, end: end, is_exact: false})
    return
  endif
  var on_screen = Missing(rows, screen)
  first = empty(on_screen) ? near[0] : on_screen[0]
  Send(rows, {first: first, end: min([wanted[-1] + 1, first + limit]), is_exact: true})
enddef

def Send(rows: dict<any>, part: dict<any>)
  var request = extendnew(part, {is_old: false, is_cancelled: false})
  rows.request = request
  var params = {session: rows.view.session, list: rows.name, first: part.first, count: part.end - part.first}
  request.id = clients.Request(rows.view.client, 'session/rows', params,
    (error, result) => Answered(rows, request, error, result))
enddef

def Answered(rows: dict<any>, request: dict<any>, error: any, result: any)
  # Of an attachment that is over: events are missing between its rows and those that are here.
  if rows.request isnot request
    return
  endif
  rows.request = {}
  if type(error) == v:t_none
    Take(rows, request, result)
  elseif error.code != clients.lost && !(error.code == request_cancelled && request.is_cancelled)
    Refused(rows, request, error)
  endif
  views.Changed(rows.view)
enddef

def Take(rows: dict<any>, request: dict<any>, result: dict<any>)
  if result.seq < rows.seq
    rows.is_stalled = true # a server does no such thing
    return
  elseif result.count != rows.count
    Change(rows, {count: result.count, first: result.first, rows: result.rows}, result.seq)
    return
  endif
  rows.is_short = result.first + len(result.rows) < min([request.end, rows.count])
  var is_progress = Fill(rows, result.first, result.rows) > 0
  rows.is_stalled = !is_progress && !request.is_old && (request.is_exact || !rows.is_short)
enddef

def Refused(rows: dict<any>, request: dict<any>, error: dict<any>)
  var wait = get(get(error, 'data', {}) ?? {}, 'retryAfterMs', 0)
  rows.is_stalled = !request.is_old || wait > 0
  if wait > 0
    timer_start(wait, (_) => AskLater(rows))
  endif
  if error.code != unknown_session
    views.Say(rows.view, $'{rows.name}: {error.message}')
  endif
enddef

# Beside, since a lambda with a block makes Vim 9.0 ask for Enter after the next command.
def AskLater(rows: dict<any>)
  AskAnew(rows)
  views.Changed(rows.view)
enddef

# Rows far from those on screen are forgotten when there are many.
def Trim(rows: dict<any>)
  var margin = max([kept_rows, kept_screens * rows.window.count])
  if len(rows.by_index) > 2 * margin + rows.window.count
    var [first, end] = Around(rows, margin)
    filter(rows.by_index, (index, _) => str2nr(index) >= first && str2nr(index) < end)
  endif
enddef
