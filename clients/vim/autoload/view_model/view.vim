vim9script
# One view model as this editor sees it: its session, what it said, and what it shows on top of itself. Knows nothing of
# buffers and windows: an observer is called when a view must be painted or arranged again.

import autoload 'view_model/children.vim'
import autoload 'view_model/client.vim' as clients
import autoload 'view_model/events.vim'
import autoload 'view_model/lists.vim'
import autoload 'view_model/outbox.vim' as outboxes
import autoload 'view_model/views.vim' as types

var observer: dict<func>

# Sets the observer of all views that have none of their own: it is called with a view that changed, with a root on
# which children came or went, with a view of which it is known now how it looks, and with an event that no buffer is
# left for, after its view's label and before whether it was sent.
export def Observe(ChangedView: func, ArrangedRoot: func, ChosenView: func, UnsentEvent: func)
  observer = {Changed: ChangedView, Arranged: ArrangedRoot, Chosen: ChosenView, Unsent: UnsentEvent}
enddef

const unknown_session = -32012
const store_unavailable = -32016

export const reasons = {
  closed: 'it was closed',
  dismissed: 'it was dismissed',
  popped: 'it was taken off',
  failed: 'the view model failed',
  replaced: 'it is shown elsewhere',
  gone: 'its session is gone',
  serverShutdown: 'the server was shut down',
}

# A view of the view model `about.name`, to be opened with `about.arguments`; or one that `about.host` shows, to be
# attached to with `about.key`, where `about.is_presented` is whether it is over its host and not on its stack. What
# isn't shown in a buffer has an `about.observer`, which is that of all that it shows, too. `about.again` is the key
# that opens it again, if that isn't R.
#
# `state` is 'opening', 'live', 'lost' (the connection, for now) or 'ended'.
export def New(client: dict<any>, about: dict<any>): dict<any>
  var model_type = get(client.types, about.name, '')
  var view = {
    client: client,
    name: about.name,
    arguments: get(about, 'arguments', null),
    host: get(about, 'host', {}),
    is_presented: get(about, 'is_presented', false),
    again: get(about, 'again', 'R'),
    observer: get(about, 'observer', get(get(about, 'host', {}), 'observer', {})),
    model_type: model_type, # as the server tells it; empty where it hasn't
    type: types.Of(about.name, model_type),
    buffer: 0,           # where it is shown; kept by the screen
    popup: 0,
    is_new: false,       # its session is to be made, and what comes first to be done then
    is_left: false,      # the user has closed it
    description: {},     # what `viewModel/describe` said
    unsent: [],          # of a root, for all that it shows
    unanswered: 0,       # how many of its requests are, without its events
    asked: '',           # the `once` of the newest open; empty where its session was never opened here
    lists: {},           # by name, as far as they are known; see rows.vim
    was_durable: false,  # whether its session may be in a store
    list_line: 0,        # where the cursor was put when a list was painted; 0 where it wasn't
  }
  ShowOwnList(view)
  Forget(view)
  view.key = get(about, 'key', '')
  return view
enddef

# Back to where its connection is lost, and it has nothing to send: what it showed stays, and is gone on with.
def Retry(view: dict<any>)
  extend(view, {
    state: 'lost',
    problem: '',         # why it ended
    message: '',         # a problem, for the user
    refusal: '',         # the server's store can't be used, so that it is attached to, or sent events, a little later
    session: 0,
    was_replaced: false, # another has taken its place on this connection, from which it came back
    may_be_kept: false,  # it ended while its session may go on later
    attachings: get(view, 'attachings', 0) + 1, # what waits to be tried again is over with the next one
    outbox: outboxes.New(clients.NameOf(view.client, view)),
  })
  clients.ForgetFailed(view.client, view)
enddef

# Back to where it knows nothing but what wasn't sent.
def Forget(view: dict<any>)
  Retry(view)
  extend(view, {
    state: 'opening',
    failure: get(view.type, 'failure', ''), # an error of the code that shows it
    key: '',
    access: '',          # 'read' where the key only lets the user look
    here: '',            # who else is here, in words
    epoch: '',           # of the history that `seq` counts in; empty where the server tells none
    is_replaced: false,  # another view has taken the place of this one
    once: outboxes.RandomName(), # by which the server knows an open that it answered before
    seq: 0,              # the newest number seen
    model: view.type.New(),
    stack: [],
    presented: {},
  })
  lists.Forget(view)
enddef

# Chooses how it looks, now that the server has told the types of its view models.
def Choose(view: dict<any>)
  var model_type = get(view.client.types, view.name, '')
  if model_type ==# view.model_type
    return
  endif
  TakeType(view, model_type)
enddef

export def TakeType(view: dict<any>, model_type: string)
  view.model_type = model_type
  view.type = types.Of(view.name, model_type)
  view.failure = get(view.type, 'failure', '')
  view.model = view.type.New()
  ShowOwnList(view)
  KeysChanged(view)
enddef

def ObserverOf(view: dict<any>): dict<any>
  return view.observer ?? observer
enddef

# Other keys do something now.
export def KeysChanged(view: dict<any>)
  ObserverOf(view).Chosen(view)
enddef

# `shown_list` is the name of the list that is shown in its whole length; empty where there is none.
def ShowOwnList(view: dict<any>)
  view.shown_list = get(view.type, 'list', '')
enddef

# Calls a function of the view's type. The user's own code may fail; then the result is `Or`.
export def Ask(view: dict<any>, name: string, arguments: list<any>, Or: any = 0): any
  try
    return call(view.type[name], arguments)
  catch
    view.failure = v:exception
  endtry
  return Or
enddef

# Has the observer say that an event is gone with the buffer that would show it.
export def SayUnsent(view: dict<any>, label: string, event: dict<any>, was_sent: bool)
  ObserverOf(view).Unsent(label, event, was_sent)
enddef

export def Changed(view: dict<any>)
  ObserverOf(view).Changed(view)
enddef

# This view and all that it shows.
export def ChangedAll(view: dict<any>)
  Changed(view)
  for child in Children(view)
    ChangedAll(child)
  endfor
enddef

export def Arranged(view: dict<any>)
  ObserverOf(view).Arranged(Root(view))
enddef

# The view at the bottom of everything that is on screen with this one.
export def Root(view: dict<any>): dict<any>
  return empty(view.host) ? view : Root(view.host)
enddef

# The topmost of its stack.
export def Top(view: dict<any>): dict<any>
  return empty(view.stack) ? view : view.stack[-1]
enddef

export def Children(view: dict<any>): list<dict<any>>
  return view.stack + (empty(view.presented) ? [] : [view.presented])
enddef

# Opening and attaching

# The key of the session that is there, or may be, though the view has ended; else empty.
export def KeptKey(view: dict<any>): string
  return view.is_replaced || view.may_be_kept ? view.key : ''
enddef

# Opens it, again where it ended. One whose place another has taken is shown again, and one that has failed is tried
# again: only where its session turns out to be gone is another opened the next time.
export def Open(view: dict<any>)
  var key = KeptKey(view)
  if view.may_be_kept
    lists.Leave(view)
    Retry(view)
  else
    Forget(view)
  endif
  view.key = key
  view.is_new = key ==# ''
  add(view.client.roots, view)
  if view.client.state ==# 'open'
    Resume(view)
  else
    clients.Connect(view.client)
  endif
  Changed(view)
enddef

# Makes itself known on a connection that is open.
export def Resume(view: dict<any>)
  if view.state ==# 'ended'
    return
  endif
  if view.key ==# ''
    RequestOpen(view)
  else
    Attach(view)
  endif
enddef

# Asks for the view model's contract, which is needed without a connection too.
export def Describe(view: dict<any>, Act: func = (_) => 0)
  clients.Request(view.client, 'viewModel/describe', {viewModel: view.name},
    (error, result) => TakeDescription(view, error, result, Act))
enddef

def TakeDescription(view: dict<any>, error: any, result: any, Act: func)
  if type(error) == v:t_none
    view.description = result
    Changed(view)
  endif
  Act(error)
enddef

# Sends a request, of which it counts whether it is answered.
export def Request(view: dict<any>, method: string, params: dict<any>, Callback: func)
  view.unanswered += 1
  clients.Request(view.client, method, params, (error, result) => TakeAnswer(view, Callback, error, result))
enddef

def TakeAnswer(view: dict<any>, Callback: func, error: any, result: any)
  view.unanswered -= 1
  if view.client.stall !=# ''
    Changed(view)
  endif
  Callback(error, result)
enddef

# Why what this view waits for isn't done, where the server's store can't be used; else empty.
export def Stall(view: dict<any>): string
  if view.state ==# 'ended'
    return ''
  elseif view.refusal !=# ''
    return view.refusal
  endif
  return view.unanswered > 0 || !empty(view.outbox.events) ? view.client.stall : ''
enddef

# What a view asks for beside its session: in a buffer, a person sees who is here.
def AskedFor(view: dict<any>): dict<any>
  return empty(view.observer) ? {views: true} : {}
enddef

def RequestOpen(view: dict<any>)
  Choose(view)
  if get(view.type, 'wants_description', false)
    Describe(view)
  endif
  var params = extend({viewModel: view.name, client: view.outbox.client_name, once: view.once}, AskedFor(view))
  if type(view.arguments) != v:t_none
    params.arguments = view.arguments
  endif
  const is_repeated = view.asked ==# view.once
  view.asked = view.once
  Request(view, 'session/open', params, (error, result) => {
    # Where the answer was lost, the same is asked for again.
    if get(error ?? {}, 'code', 0) == clients.lost
      return
    elseif view.state ==# 'ended'
      DetachFrom(view.client, result)
      return
    endif
    if type(error) != v:t_none
      Finish(view, error.message)
      return
    endif
    view.key = result.key
    # One that was found may still be that which was made when the answer was lost.
    view.is_new = get(result, 'isNew', true) || is_repeated
    TakeAttachment(view, result)
  })
enddef

export def Attach(view: dict<any>)
  if get(view.type, 'wants_description', false) && empty(view.description)
    Describe(view)
  endif
  # One that saw nothing wants all there is, which a snapshot may tell more shortly.
  var since: dict<any> = view.seq > 0 ? {since: view.seq} : {}
  if view.seq > 0 && view.epoch !=# ''
    since.epoch = view.epoch
  endif
  view.attachings += 1
  const attaching = view.attachings
  var params = extend({key: view.key, client: view.outbox.client_name}, since)->extend(AskedFor(view))
  Request(view, 'session/attach', params, (error, result) => {
    if view.state ==# 'ended'
      DetachFrom(view.client, result)
    elseif get(error ?? {}, 'code', 0) != clients.lost
      Attached(view, error, result, attaching)
    endif
  })
enddef

def Attached(view: dict<any>, error: any, result: any, attaching: number)
  if type(error) != v:t_none && error.code == store_unavailable
    # The session is there, and can't be read just now. A connection that is lost meanwhile attaches anew by itself.
    view.refusal = error.message
    Changed(view)
    timer_start(get(get(error, 'data', {}), 'retryAfterMs', 1000), (_) => {
      if view.state !=# 'ended' && view.client.state ==# 'open' && view.attachings == attaching
        Attach(view)
      endif
    })
    return
  endif
  if type(error) != v:t_none && error.code == unknown_session
    if view.was_durable && !view.client.is_durable
      Fail(view, "the server has no store now")
    else
      Finish(view, reasons.gone)
    endif
    return
  elseif type(error) != v:t_none
    Fail(view, error.message)
    return
  endif
  TakeAttachment(view, result)
enddef

# Takes the answer to an attach, or to an open, which may have found a session.
export def TakeAttachment(view: dict<any>, result: dict<any>)
  if has_key(result, 'snapshot')
    Replace(view, result.snapshot, result.seq)
  endif
  view.epoch = get(result, 'epoch', '')
  if view.access !=# get(result, 'access', '')
    view.access = get(result, 'access', '')
    KeysChanged(view)
  endif
  children.ArrangeAs(view, get(result, 'navigation', {}))
  # A session that doesn't know this view can't tell what it has taken of it: to send that again might do it twice. What
  # isn't shown in a buffer, as a search, has nobody to give it back to, and nothing that mustn't be done twice.
  if !has_key(result, 'handled') && empty(view.observer)
    events.GiveBackSent(view)
  endif
  outboxes.NumberFrom(view.outbox, get(result, 'handled', 0))
  GoLive(view, result.session)
enddef

def Replace(view: dict<any>, snapshot: list<any>, seq: number)
  view.model = view.type.New()
  for event in snapshot
    Ask(view, 'Apply', [view.model, event])
  endfor
  lists.Replace(view, snapshot, seq)
  view.seq = seq
enddef

def GoLive(view: dict<any>, session: number)
  view.session = session
  view.state = 'live'
  view.message = ''
  view.refusal = ''
  view.was_durable = view.client.is_durable
  view.client.by_session[session] = view
  for numbered in copy(view.outbox.events)
    events.Submit(view, numbered)
  endfor
  var is_new = view.is_new
  view.is_new = false
  if is_new && has_key(view.type, 'Opened')
    events.SendFirst(view)
  endif
  Changed(view)
enddef

# Whether the user has a key with which nothing can be done but look.
export def LooksOnly(view: dict<any>): bool
  return Root(view).access ==# 'read'
enddef

# Refuses what the server would refuse.
export def SayLooksOnly(view: dict<any>)
  Say(view, 'you may only look at this session')
enddef

# Says something to the user, until the next thing is done.
export def Say(view: dict<any>, text: string)
  view.message = text
  Changed(view)
enddef

# Something was lost on the way: asks for all that came since.
export def AttachAgain(view: dict<any>)
  remove(view.client.by_session, view.session)
  DetachFrom(view.client, view)
  view.session = 0
  view.state = 'lost'
  outboxes.ForgetRequests(view.outbox)
  lists.Leave(view)
  Attach(view)
  Changed(view)
enddef

# Leaving

# Leaves a session that a dictionary names, where it names one.
export def DetachFrom(client: dict<any>, of: any)
  if type(of) == v:t_dict
    clients.Request(client, 'session/detach', {session: of.session}, (_, _) => 0)
  endif
enddef

# The connection is lost, for now.
export def Lose(view: dict<any>)
  if view.state ==# 'ended'
    return
  endif
  view.session = 0
  view.was_replaced = false
  view.refusal = ''
  lists.Leave(view)
  if view.state ==# 'live'
    view.message = ''
  endif
  if view.key !=# ''
    view.state = 'lost'
  endif
  for child in Children(view)
    Lose(child)
  endfor
  Changed(view)
enddef

# It is over with this view and all that it shows. One that another shows leaves the screen, too: its session may have
# ended before the host's own events say so.
export def Finish(view: dict<any>, problem: string)
  if view.state ==# 'ended'
    return
  endif
  view.state = 'ended'
  view.problem = problem
  view.message = ''
  events.GiveBack(view)
  if has_key(view.client.by_session, view.session)
    remove(view.client.by_session, view.session)
  endif
  filter(view.client.roots, (_, root) => root isnot view)
  clients.FreeNameOf(view.client, view)
  for child in Children(view)
    Finish(child, problem)
  endfor
  if empty(view.host)
    view.stack = []
    view.presented = {}
    Arranged(view)
  else
    children.TakeOff(view.host, view)
  endif
  Changed(view)
enddef

# It is over with this view for now, and its session may go on later: the user keeps the way back to it. What isn't
# shown in a buffer, as a search, has nothing to go back to, and what another shows comes back with that.
export def Fail(view: dict<any>, problem: string)
  if view.key !=# '' && empty(view.host) && empty(view.observer)
    view.may_be_kept = true
    add(view.client.failed, view)
    clients.Remember(view.client, view.name, view.key)
  endif
  Finish(view, problem)
enddef
