vim9script
# What is searched: what is asked of the view model, and what becomes of the selection. Knows nothing of popups.

import autoload 'view_model/events.vim'
import autoload 'view_model/farewell.vim'
import autoload 'view_model/finder/prompt.vim' as prompts
import autoload 'view_model/lists.vim' as view_lists
import autoload 'view_model/places.vim'
import autoload 'view_model/rows.vim' as row_lists
import autoload 'view_model/view.vim' as views
import autoload 'view_model/views/finder.vim' as finder_type

export const modes = ['files', 'text', 'regex']

# A search in a session with these arguments. `Notify` is called when something has changed.
export def New(client: dict<any>, arguments: dict<any>, Notify: func): dict<any>
  var search = {prompt: prompts.New(), mode: 'files'}
  search.view = views.New(client, {
    name: 'finder',
    arguments: arguments,
    again: 'F5',
    observer: {Changed: Notify, Arranged: Notify, Chosen: Notify, Unsent: (_, _, _) => 0},
  })
  OpenSession(search)
  return search
enddef

# What there is when a session begins.
def Nothing(): dict<any>
  return {
    has_begun: false,     # whether it is known what the session searches
    asked: ['', 'files'], # the text and the mode that were sent last
    told: ['', 'files'],  # those that the view model told last
    previewed: '',        # the id of the row whose file was asked for
    has_asked: false,     # whether the preview was asked for here; another view of the session may have one
    has_child: false,     # whether there was a preview when it was looked for last
    has_preview: false,   # whether one is wanted
  }
enddef

# Other rows are wanted: the selection goes to the first of them when they come, or to that to which it is moved until
# then.
export def Unsettle(search: dict<any>)
  search.is_settled = false
  search.index = 0
  search.command = '' # with which the selected row is opened as soon as it is there
  search.accepting = '' # the same, while the view model is asked
enddef

export def Results(search: dict<any>): dict<any>
  return view_lists.Named(search.view, 'results')
enddef

# A server may have another view model of that name.
export def IsFinder(search: dict<any>): bool
  return get(search.view.type, 'is_picker', false)
enddef

export def Model(search: dict<any>): dict<any>
  return IsFinder(search) ? search.view.model : finder_type.Type().New()
enddef

export def Preview(search: dict<any>): dict<any>
  return empty(search.view.stack) ? {} : search.view.stack[-1]
enddef

# Whether the preview is on its way off the screen: another that is asked for now could go with it.
def IsClosing(search: dict<any>): bool
  return get(Preview(search), 'is_closing', false)
enddef

export def OpenSession(search: dict<any>)
  search.view.is_left = false
  extend(search, Nothing())
  Unsettle(search)
  search.view.unsent = []
  views.Open(search.view)
enddef

# Talking with the view model

def Wanted(search: dict<any>): list<string>
  return [search.prompt.text, search.mode]
enddef

export def IsOnTheWay(search: dict<any>, kinds: list<string>): bool
  return indexof(search.view.outbox.events, (_, numbered) => index(kinds, numbered.event.kind) >= 0) >= 0
enddef

# Whether the rows are those of what is typed.
export def IsFresh(search: dict<any>): bool
  var model = Model(search)
  var is_told = [model.text, model.mode] == Wanted(search) && !model.is_old
  return search.asked == Wanted(search) && (is_told || !IsOnTheWay(search, ['query', 'mode']))
enddef

# The session is there. One that was found searches what was left in it, in place of which comes what is wanted here.
def Begin(search: dict<any>)
  if !search.has_begun
    var model = search.view.model
    search.has_begun = true
    search.asked = [model.text, model.mode]
    search.told = search.asked
  endif
enddef

# The picker is shown again. What another view has searched meanwhile isn't what is wanted here.
export def BeginAnew(search: dict<any>)
  search.has_begun = IsOnTheWay(search, ['query', 'mode'])
enddef

# Another view of the session may have searched for something else.
def TakeOver(search: dict<any>)
  var model = search.view.model
  var told = [model.text, model.mode]
  if told == search.told
    return
  endif
  search.told = told
  if told != Wanted(search) && search.asked == Wanted(search) && !IsOnTheWay(search, ['query', 'mode'])
    prompts.Set(search.prompt, model.text)
    search.mode = model.mode
    search.asked = told
    Unsettle(search)
  endif
enddef

# Sends what is wanted and wasn't sent. While there is no connection nothing is sent, and the newest is wanted then.
def AskQuery(search: dict<any>)
  var [text, mode] = search.asked
  search.asked = Wanted(search)
  if mode !=# search.mode
    events.Send(search.view, {kind: 'mode', value: search.mode})
  endif
  if text !=# search.prompt.text
    events.Send(search.view, {kind: 'query', text: search.prompt.text})
  endif
enddef

# An index of so many rows: after the last one comes the first, before which is the last.
def Around(index: number, count: number): number
  return count == 0 ? 0 : (index % count + count) % count
enddef

# The selection waits at its index until the right rows are there, and then stays with its row.
def Settle(search: dict<any>)
  var results = Results(search)
  if search.is_settled
    return
  endif
  var are_all = !IsOnTheWay(search, ['query', 'mode'])
  var index = Around(search.index, results.count)
  places.Set(results.cursor, index, '')
  places.Set(results.top, 0, '')
  if IsFresh(search) && row_lists.Has(results, index) && (are_all || index == search.index)
    search.is_settled = true
    row_lists.Place(results, results.cursor, index)
    row_lists.Place(results, results.top, 0)
  elseif IsFresh(search) && are_all && results.count == 0
    search.command = '' # there is nothing to wait for
  endif
enddef

# The selected row; null where there is none, or it isn't here yet.
export def Selected(search: dict<any>): any
  return search.is_settled ? row_lists.Row(Results(search), Results(search).cursor.index) : null
enddef

# An event about the selected row.
def SendOfRow(search: dict<any>, kind: string, row: dict<any>)
  events.Send(search.view, {kind: kind, index: Results(search).cursor.index, id: row.id})
enddef

# One after the other: while the selection moves on, the files between aren't asked for.
def AskPreview(search: dict<any>)
  var row = Selected(search)
  var has_child = !empty(Preview(search))
  if search.has_child && !has_child
    search.previewed = '' # it was taken off the screen
  endif
  search.has_child = has_child
  if !search.has_preview || type(row) != v:t_dict || IsOnTheWay(search, ['preview']) || IsClosing(search)
    return
  elseif row.id !=# search.previewed
    search.previewed = row.id
    search.has_asked = true
    SendOfRow(search, 'preview', row)
  endif
enddef

# Enter may be pressed before the rows have come for what was typed.
def AskAccept(search: dict<any>)
  var row = Selected(search)
  if search.command !=# '' && type(row) == v:t_dict
    search.accepting = search.command
    search.accepted_row = row
    search.command = ''
    SendOfRow(search, 'accept', row)
  endif
enddef

# Takes the preview off the screen, where it was asked for here.
def ClosePreview(search: dict<any>)
  var child = Preview(search)
  if search.has_asked && !empty(child) && child.state !=# 'ended' && !IsClosing(search)
    child.is_closing = true
    search.has_asked = false
    events.Send(child, {kind: 'close'})
  endif
enddef

# Brings the view model to what is wanted.
export def Sync(search: dict<any>)
  # There was nothing in it that can't be found again.
  if search.view.state ==# 'ended' && search.view.problem ==# views.reasons.gone
    OpenSession(search)
  endif
  if search.view.state ==# 'live' && IsFinder(search)
    Begin(search)
    TakeOver(search)
    AskQuery(search)
    Settle(search)
    AskPreview(search)
    AskAccept(search)
  endif
enddef

# Returns what was chosen here, as the view model says it: an empty dictionary where that isn't known. What another view
# chose isn't for this one.
export def TakeAccepted(search: dict<any>): dict<any>
  var accepted = IsFinder(search) ? remove(search.view.model, 'accepted') : {}
  search.view.model.accepted = {}
  if search.accepting !=# '' && empty(accepted) && !IsOnTheWay(search, ['accept'])
    search.accepting = '' # it was refused
  endif
  return search.accepting ==# '' ? {} : accepted
enddef

# What the user does

# Other rows are wanted now.
export def Change(search: dict<any>)
  search.view.message = ''
  Unsettle(search)
enddef

# Moves the selection to an index, as far as it is known now how many rows there are.
def Move(search: dict<any>, index: number)
  var results = Results(search)
  search.view.message = ''
  search.index = index
  row_lists.AskAnew(results)
  search.is_settled = results.count > 0 && (search.is_settled || IsFresh(search))
  if search.is_settled
    row_lists.Place(results, results.cursor, Around(index, results.count))
  endif
enddef

# Where the selection is, or will be.
def Place(search: dict<any>): number
  return search.is_settled ? Results(search).cursor.index : search.index
enddef

# Moves the selection to the row at an index, or to the nearest that there is.
export def Select(search: dict<any>, index: number)
  Move(search, max([0, min([index, Results(search).count - 1])]))
enddef

# Moves the selection by so many rows, and not beyond the first and the last one.
export def SelectBy(search: dict<any>, by: number)
  Select(search, Place(search) + by)
enddef

# Moves the selection to the next row, or to the one before; from the last one to the first, and back.
export def Step(search: dict<any>, by: number)
  Move(search, Place(search) + by)
enddef

# Looks at the folder again, or opens the session again where it has ended.
export def Refresh(search: dict<any>)
  if search.view.state ==# 'ended'
    OpenSession(search)
  else
    events.Send(search.view, {kind: 'refresh'})
  endif
enddef

# Searches for nothing any more: all files are asked for, so that they are there the next time.
export def Clear(search: dict<any>)
  prompts.Set(search.prompt, '')
  search.mode = 'files'
  search.previewed = ''
  Change(search)
  if search.view.state ==# 'live' && IsFinder(search)
    Begin(search)
    AskQuery(search)
  endif
  ClosePreview(search)
enddef

# Nobody looks at it for now. A lost connection isn't worth coming back to then.
export def Rest(search: dict<any>)
  if search.view.state ==# 'lost'
    farewell.LeaveView(search.view)
  else
    ClosePreview(search)
  endif
enddef
