vim9script
# The events that a view sends, and what becomes of them.

import autoload 'view_model/client.vim' as clients
import autoload 'view_model/json_text.vim'
import autoload 'view_model/outbox.vim' as outboxes
import autoload 'view_model/unanswered.vim'
import autoload 'view_model/unsent.vim' as unsents
import autoload 'view_model/view.vim' as views

const unknown_session = -32012
const request_cancelled = -32800
const limit_exceeded = -32015
const store_unavailable = -32016
const invalid_params = -32602

# Sends an event, at once or as soon as there is a connection: once, whatever happens to the connection.
export def Send(view: dict<any>, event: dict<any>)
  if views.LooksOnly(view)
    views.SayLooksOnly(view)
    return
  elseif view.state ==# 'ended'
    views.Say(view, 'not sent: ' .. json_text.Event(event))
    return
  endif
  view.message = ''
  if unsents.ForgetOldest(views.Root(view).unsent, Label(view), event.kind)
    views.ChangedAll(views.Root(view))
  endif
  const is_next = !outboxes.HasIdle(view.outbox)
  var numbered = outboxes.Add(view.outbox, event)
  numbered.is_unasked = get(view, 'is_sending_first', false)
  unanswered.Note(view)
  if view.state ==# 'live' && is_next
    Submit(view, numbered)
  endif
  views.Changed(view)
enddef

# Sends what the view itself has to say to its new session, which nobody typed.
export def SendFirst(view: dict<any>)
  view.is_sending_first = true
  views.Ask(view, 'Opened', [view])
  view.is_sending_first = false
enddef

# Sends an event that the user was asked for. Its session may have ended meanwhile.
export def SendTyped(view: dict<any>, event: dict<any>)
  if view.state ==# 'ended' && !views.LooksOnly(view)
    KeepUnsent(view, event, false)
  else
    Send(view, event)
  endif
enddef

export def Submit(view: dict<any>, numbered: dict<any>)
  var session: number = view.session
  numbered.session = session
  numbered.was_sent = true
  var params = {session: session, event: numbered.event, number: numbered.number}
  numbered.request = clients.Request(view.client, 'view/event', params,
    (error, _) => Answered(view, numbered, error, numbered.session == session))
enddef

# Takes an answer. Where it isn't the newest one to come, the event was sent again since, or will be.
def Answered(view: dict<any>, numbered: dict<any>, error: any, is_newest: bool)
  var code: any = type(error) == v:t_none ? 0 : error.code
  if code == clients.lost
    numbered.request = 0
    numbered.session = 0
    if view.state ==# 'ended'
      GiveBack(view)
    endif
  elseif code == unknown_session
    if is_newest
      LeftUnanswered(view, numbered)
    endif
  elseif code == invalid_params && get(get(error, 'data', {}), 'path', '') ==# '/number'
    if is_newest
      views.AttachAgain(view) # one before it wasn't taken
    endif
  elseif code == store_unavailable || code == limit_exceeded && numbered.was_taken
    if is_newest
      SendLater(view, numbered, error)
    endif
  elseif code == limit_exceeded
    if !outboxes.TakeBackNumber(view.outbox, numbered) && view.state ==# 'live'
      views.AttachAgain(view)
    endif
    KeepUnsent(view, numbered.event, false)
    views.Say(view, error.message)
  else
    outboxes.Remove(view.outbox, numbered)
    view.refusal = ''
    # A newer event of its kind took its place: nobody needs to hear of that.
    if code != 0 && !get(get(error, 'data', {}), 'superseded', false)
      views.Say(view, code == request_cancelled ? 'stopped' : error.message)
    else
      views.Changed(view)
    endif
  endif
enddef

# The server's store can't take an event now, or the server has no room for the question what came of one that it has
# taken. What is sent meanwhile waits behind it, since the server wouldn't take a later number.
def SendLater(view: dict<any>, numbered: dict<any>, error: dict<any>)
  numbered.request = 0
  numbered.session = 0
  numbered.was_sent = numbered.was_taken # what is refused isn't done
  if view.state ==# 'ended'
    GiveBack(view)
    return
  endif
  if error.code == store_unavailable
    view.refusal = error.message
  endif
  views.Changed(view)
  const attaching: number = view.attachings
  timer_start(get(get(error, 'data', {}), 'retryAfterMs', 1000), (_) => SubmitIdle(view, attaching))
enddef

# Apart, since a lambda of several lines is compiled with its function, at the first answer. Vim 9.0 then has a command
# that is typed meanwhile end with "Press ENTER".
def SubmitIdle(view: dict<any>, attaching: number)
  if view.state !=# 'live' || view.attachings != attaching
    return
  endif
  for numbered in copy(view.outbox.events)->filter((_, one) => one.session == 0)
    Submit(view, numbered)
  endfor
enddef

# Asks the server to stop what it does for this view's events.
export def Cancel(view: dict<any>)
  for numbered in view.outbox.events
    if numbered.request > 0
      numbered.is_stopped = true
      clients.Cancel(view.client, numbered.request)
    endif
  endfor
enddef

# Whether nothing is answered for now: there is no connection, the server doesn't answer, or its store can't be used.
export def IsAway(view: dict<any>): bool
  return view.state ==# 'lost' || view.client.state ==# 'waiting' || clients.IsSilent(view.client)
    || views.Stall(view) !=# ''
enddef

# How many events wait for a connection, for a session, for a server that doesn't answer, or for its store. Those on
# their way don't.
export def WaitingCount(view: dict<any>): number
  var is_waiting = view.state !=# 'ended' && (view.state ==# 'opening' || IsAway(view))
  return is_waiting ? len(view.outbox.events) : 0
enddef

# What the user did that isn't answered, and wasn't taken back.
export def Unanswered(view: dict<any>): list<dict<any>>
  return copy(view.outbox.events)
    ->filter((_, numbered) => !numbered.is_unasked && !get(numbered, 'is_stopped', false))
enddef

# Those on their way over which Vim didn't end.
export def Held(view: dict<any>): list<dict<any>>
  return WaitingCount(view) > 0 ? [] : copy(view.outbox.events)
    ->filter((_, numbered) => get(numbered, 'is_held', false))
enddef

# The name under which unsent events of this view are kept, and found again when it is opened anew.
export def Label(view: dict<any>): string
  return empty(view.host) ? view.name : views.Ask(view, 'Title', [view], view.name)
enddef

# Gives back what waits, where the session has ended. Events on their way will be answered.
export def GiveBack(view: dict<any>)
  for numbered in outboxes.TakeIdle(view.outbox)
    KeepUnsent(view, numbered.event, numbered.was_sent)
  endfor
enddef

# Gives back what was sent, and not answered, to a session that doesn't know this view.
export def GiveBackSent(view: dict<any>)
  for numbered in outboxes.TakeSent(view.outbox)
    KeepUnsent(view, numbered.event, true)
  endfor
enddef

# The session ended before it answered an event, which may have been running then: nobody knows whether it was done.
def LeftUnanswered(view: dict<any>, numbered: dict<any>)
  outboxes.Remove(view.outbox, numbered)
  if views.Root(view).is_left
    return
  elseif !numbered.was_taken && empty(json_text.Content(numbered.event))
    # A key was pressed twice, say. There is no text to be kept.
    views.Say(views.Root(view), $"{numbered.event.kind} wasn't answered")
  else
    KeepUnsent(view, numbered.event, true)
  endif
enddef

# Keeps an event for the user to see and to send again. `was_sent` is whether it was, and no answer came.
def KeepUnsent(view: dict<any>, event: dict<any>, was_sent: bool)
  var root = views.Root(view)
  if root.is_left
    views.SayUnsent(view, Label(view), event, was_sent)
  else
    add(root.unsent, {label: Label(view), event: event, was_sent: was_sent})
    unanswered.Note(root)
    views.ChangedAll(root)
  endif
enddef

# The oldest unsent event of this kind, or an empty dictionary.
export def OldestUnsent(view: dict<any>, kind: string): dict<any>
  return unsents.Oldest(views.Root(view).unsent, Label(view), kind)
enddef

# Forgets all that wasn't sent.
export def ForgetUnsent(view: dict<any>)
  var root = views.Root(view)
  root.unsent = []
  views.ChangedAll(root)
enddef
