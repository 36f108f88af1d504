vim9script
# The connection to the server: made when it is needed, made again when it is lost, and shared by all views.

import autoload 'view_model/channel.vim' as channels
import autoload 'view_model/notifications.vim'
import autoload 'view_model/outbox.vim' as outboxes
import autoload 'view_model/view.vim' as views
import autoload 'view_model/watch.vim' as watches

# The code of an error that says that the connection was lost before the answer came.
export const lost = -1

# ms
const first_delay = 100
const longest_delay = 5000

const most_left = 100 # sessions that are remembered

# What servers know this Vim by, over all connections.
const own_name = outboxes.RandomName()

# A client that isn't connected yet. `state` is 'idle', 'connecting', 'open' or 'waiting' (to try again).
export def New(config: dict<any>): dict<any>
  var client: dict<any> = {
    config: config,
    state: 'idle',
    names: [],           # of the view models that can be opened
    is_durable: false,   # whether the server has a store
    types: {},           # of all view models that the server told of, by their names
    scopes: {},          # 'person' or 'everyone', by the names of those that have one
    limits: {},          # that the server told
    problem: '',         # why there is no connection
    stall: '',           # why what the server's store has to take isn't answered, as the server says
    roots: [],           # the views that aren't shown by another
    numbered: {},        # the views by the numbers in their names
    left: [],            # the sessions that were left, or failed, and may go on, newest first: their `name` and `key`
    failed: [],          # the roots that have ended though their sessions may be kept
    by_session: {},      # the views by their number on this connection
    waiting: [],         # what was asked for before the connection was open
    callbacks: [],       # of the requests that aren't answered
    delay: first_delay,
    attempt: 0,          # counts connections
    transport: {},
  }
  client.watch = watches.New({
    IsWaiting: () => IsWaiting(client),
    Ask: () => channels.Request(client.transport, 'ping', null, (_, result) => TakePing(client, result)),
    Silent: () => FallSilent(client),
    Answers: () => Refresh(client),
  })
  return client
enddef

# What servers know a view by. A name is that of one view at a time, so it has a number, the lowest that is free: a
# session that is shown here again is shown under the same name.
export def NameOf(client: dict<any>, view: dict<any>): string
  var number = 1
  while has_key(client.numbered, number) && client.numbered[number] isnot view
    number += 1
  endwhile
  client.numbered[number] = view
  return $'{own_name}-{number}'
enddef

export def FreeNameOf(client: dict<any>, view: dict<any>)
  filter(client.numbered, (_, other) => other isnot view)
enddef

# Remembers a session that may go on, so that its key is offered.
export def Remember(client: dict<any>, name: string, key: string)
  filter(client.left, (_, one) => one.key !=# key)
  insert(client.left, {name: name, key: key})
  client.left = client.left[: most_left - 1]
enddef

# A root that had failed is tried again, or is off the screen.
export def ForgetFailed(client: dict<any>, view: dict<any>)
  filter(client.failed, (_, other) => other isnot view)
enddef

# Connects where that isn't done or under way.
export def Connect(client: dict<any>)
  if client.state ==# 'open' || client.state ==# 'connecting'
    return
  endif
  watches.Begin(client.watch)
  client.state = 'connecting'
  client.attempt += 1
  var attempt = client.attempt
  # A connection that was given up may still have something to say.
  client.transport = channels.Open(client.config, {
    Opened: () => client.attempt == attempt ? Initialize(client) : 0,
    Notification: (method, params) => client.attempt == attempt ? Take(client, method, params) : 0,
    Closed: (reason) => client.attempt == attempt ? Lose(client, reason, false) : 0,
  })
enddef

def Initialize(client: dict<any>): number
  var params = {
    protocolVersion: '1.2',
    clientInfo: {name: 'Vim', version: string(v:versionlong)},
    processId: getpid(),
    capabilities: {},
  }
  if has_key(client.config, 'token')
    params.token = client.config.token
  endif
  Request(client, 'initialize', params, (error, result) => Initialized(client, error, result))
  return 0
enddef

def Initialized(client: dict<any>, error: any, result: any)
  if get(error ?? {}, 'code', 0) == lost
    return
  elseif type(error) != v:t_none
    Refuse(client, error.message)
    return
  endif
  channels.Notify(client.transport, 'initialized', {})
  client.state = 'open'
  client.problem = ''
  client.delay = first_delay
  client.limits = get(result, 'limits', {})
  Learn(client, result.capabilities)
  Wake(client)
enddef

# Takes what the server hosts. An older server tells no types and no children.
def Learn(client: dict<any>, capabilities: dict<any>)
  client.names = capabilities.viewModels->mapnew((_, one) => one.name)
  client.is_durable = get(capabilities, 'durable', false)
  client.types = {}
  client.scopes = {}
  for one in capabilities.viewModels + get(capabilities, 'children', [])
    client.types[one.name] = get(one, 'type', '')
    if has_key(one, 'scope')
      client.scopes[one.name] = one.scope
    endif
  endfor
enddef

# Attaches again what was on screen, and does what waited.
def Wake(client: dict<any>)
  for root in copy(client.roots)
    views.Resume(root)
  endfor
  for request in TakeWaiting(client)
    request.Act()
  endfor
enddef

def TakeWaiting(client: dict<any>): list<any>
  var waiting = client.waiting
  client.waiting = []
  return waiting
enddef

# The server doesn't answer. An address may be reached anew, which is tried; a server that was started here has all its
# sessions, and is waited for.
def FallSilent(client: dict<any>)
  if has_key(client.config, 'address')
    channels.Close(client.transport)
    Lose(client, $"no connection to {client.config.address}: it doesn't answer", false)
  else
    Refresh(client)
  endif
enddef

# Whether what is sent isn't taken for now, though there is a connection.
export def IsSilent(client: dict<any>): bool
  return client.watch.is_silent
enddef

def IsWaiting(client: dict<any>): bool
  return client.state ==# 'connecting' || !empty(client.callbacks)
enddef

def TakePing(client: dict<any>, result: any)
  watches.Heard(client.watch)
  SetStall(client, type(result) == v:t_dict ? get(result, 'storeUnavailable', '') : '')
enddef

# The server's store can't be used, which is why something isn't answered, or it can (empty). Where nothing is
# unanswered, it doesn't matter.
def SetStall(client: dict<any>, reason: string)
  var stall = IsWaiting(client) ? reason : ''
  if stall !=# client.stall
    client.stall = stall
    Refresh(client)
  endif
enddef

# Shows anew how things stand.
def Refresh(client: dict<any>)
  for root in copy(client.roots)
    views.ChangedAll(root)
  endfor
enddef

# A server that doesn't take this client won't take it the next time.
def Refuse(client: dict<any>, reason: string)
  channels.Close(client.transport)
  Lose(client, reason, true)
enddef

def Lose(client: dict<any>, reason: string, is_final: bool): number
  client.attempt += 1
  watches.Stop(client.watch)
  client.stall = ''
  client.by_session = {}
  client.problem = reason
  var has_ended = is_final || !has_key(client.config, 'address')
  client.state = has_ended ? 'idle' : 'waiting'
  for root in copy(client.roots)
    if !has_ended
      views.Lose(root)
    elseif client.is_durable
      views.Fail(root, reason)
    else
      views.Finish(root, reason)
    endif
  endfor
  LoseAnswers(client, reason)
  for request in TakeWaiting(client)
    request.Fail(reason)
  endfor
  if client.state ==# 'waiting'
    Retry(client)
  endif
  return 0
enddef

def LoseAnswers(client: dict<any>, reason: string)
  var callbacks = client.callbacks
  client.callbacks = []
  for asked in callbacks
    asked.Callback({code: lost, message: reason}, null)
  endfor
enddef

def Retry(client: dict<any>)
  if empty(client.roots)
    client.state = 'idle'
    return
  endif
  timer_start(client.delay, (_) => {
    if client.state ==# 'waiting'
      Connect(client)
    endif
  })
  client.delay = min([client.delay * 2, longest_delay])
enddef

# Acts as soon as the connection is open; Fail(reason) is called where none comes about.
export def WhenOpen(client: dict<any>, Act: func, Fail: func)
  if client.state ==# 'open'
    Act()
  else
    add(client.waiting, {Act: Act, Fail: Fail})
    Connect(client)
  endif
enddef

# Sends a request, for which the connection must be open, and returns its id. Where the connection is lost before the
# answer comes, that is the error, of the code `lost`.
export def Request(client: dict<any>, method: string, params: any, Callback: func): number
  var asked = {Callback: Callback}
  watches.Begin(client.watch)
  add(client.callbacks, asked)
  # A lambda with a block here makes Vim 9.0 ask for Enter after the next command.
  return channels.Request(client.transport, method, params, (error, result) => Answer(client, asked, error, result))
enddef

def Answer(client: dict<any>, asked: dict<func>, error: any, result: any)
  filter(client.callbacks, (_, other) => other isnot asked)
  watches.Heard(client.watch)
  SetStall(client, client.stall)
  asked.Callback(error, result)
enddef

export def Cancel(client: dict<any>, id: number)
  if client.state ==# 'open'
    channels.Cancel(client.transport, id)
  endif
enddef

def Take(client: dict<any>, method: string, params: dict<any>): number
  watches.Heard(client.watch)
  var view = get(client.by_session, string(get(params, 'session', 0)), {})
  if !empty(view)
    notifications.Take(view, method, params)
  endif
  return 0
enddef

# Leaves all sessions, and ends the connection. What can be found again stays: the server knows which that is.
export def Leave(client: dict<any>)
  client.attempt += 1
  watches.Stop(client.watch)
  if client.state ==# 'open'
    channels.Leave(client.transport)
  endif
  client.state = 'idle'
  client.roots = []
enddef
