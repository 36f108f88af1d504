vim9script
# Does with this client what `view-model-server conform` says, and tells what a user would see. To be run as
# `vim -es -Nu NONE -S clients/vim/tests/driver.vim`; the last argument is the address of who says it.

set encoding=utf-8
&runtimepath = expand('<sfile>:p:h:h') .. ',' .. &runtimepath

import autoload 'view_model/client.vim' as clients
import autoload 'view_model/events.vim'
import autoload 'view_model/farewell.vim'
import autoload 'view_model/joining.vim'
import autoload 'view_model/lists.vim'
import autoload 'view_model/rows.vim'
import autoload 'view_model/view.vim' as views

var client: dict<any>
# By their names: each has its `view` once there is one, its `errors`, and the windows on its lists.
var shown: dict<any> = {}

def New(view: dict<any>): dict<any>
  return {view: view, errors: [], windows: {}, message: '', problem: ''}
enddef

# Keeps all events of a view model, whatever its name is, since its server tells no type.
g:view_model_views = {'': {
  New: () => ({events: []}),
  Apply: (model, event) => add(model.events, event),
  Lines: (_) => [],
}}

def Changed(view: dict<any>)
  for one in values(shown)->filter((_, one) => one.view is view)
    one.errors += view.message ==# '' || view.message ==# one.message ? [] : [view.message]
    one.message = view.message
    for [name, window] in items(one.windows) # as each painting does
      rows.Show(lists.Named(view, name), window.first, window.count)
    endfor
  endfor
enddef

def Arranged(view: dict<any>)
  for child in views.Children(view)
    shown[child.key] = get(shown, child.key, New(child))
    Arranged(child)
  endfor
enddef

views.Observe(Changed, Arranged, (_) => 0, (_, _, _) => 0)

def Rows(list: dict<any>, window: dict<any>): dict<any>
  var size = max([0, min([window.count, list.count - window.first])])
  var given = range(size)->mapnew((_, offset) => rows.Row(list, window.first + offset))
  var is_known = rows.Has(list, list.cursor.index) || !list.cursor.is_lost
  return {count: list.count, first: window.first, rows: given, selected: is_known ? list.cursor.index : null}
enddef

def Look(one: dict<any>): dict<any>
  var view = one.view
  if empty(view)
    return {state: one.problem ==# '' ? 'opening' : 'ended', reason: one.problem}
  endif
  var is_old = view.state ==# 'lost' || clients.IsSilent(client)
  var dropped = copy(views.Root(view).unsent)->filter((_, unsent) => unsent.label ==# events.Label(view))
  return {
    state: view.state =~ 'opening\|ended' ? view.state : is_old ? 'old' : 'shown',
    reason: view.problem, key: view.key, seq: view.seq, events: view.model.events,
    waiting: view.outbox.events->mapnew((_, numbered) => numbered.event),
    dropped: dropped->mapnew((_, unsent) => ({event: unsent.event, wasSent: unsent.was_sent})),
    errors: one.errors, stall: views.Stall(view) ?? null, over: views.Children(view)->mapnew((_, child) => child.key),
    lists: one.windows->mapnew((name, window) => Rows(lists.Named(view, name), window)),
  }
enddef

def Attach(key: string): dict<any>
  var one = New({})
  var Attached = (problem, view) => extend(one, {problem: problem, view: view})
  clients.WhenOpen(client, () => joining.Join(client, key, Attached), (problem) => Attached(problem, {}))
  return one
enddef

def Do(command: dict<any>): dict<any>
  var one = get(shown, get(command, 'view', ''), {})
  if command.do ==# 'connect'
    client = clients.New({address: command.address})
  elseif command.do ==# 'open'
    one = New(views.New(client, {name: command.viewModel, arguments: get(command, 'arguments', null)}))
    shown[command.view] = one
    views.Open(one.view)
  elseif command.do ==# 'attach'
    shown[command.view] = Attach(command.key)
  elseif command.do ==# 'send'
    events.Send(one.view, command.event)
  elseif command.do ==# 'back'
    farewell.Back(one.view)
  elseif command.do ==# 'detach'
    farewell.Leave(one.view)
  elseif command.do ==# 'close'
    farewell.EndSession(one.view, (_) => 0)
  elseif command.do ==# 'leave'
    farewell.LeaveAll(client)
    ch_close(client.transport.channel) # as the end of Vim does
  elseif command.do ==# 'show'
    one.windows[command.list] = command
    Changed(one.view)
  elseif command.do ==# 'select'
    var list = lists.Named(one.view, command.list)
    rows.Place(list, list.cursor, command.index)
  elseif command.do ==# 'look'
    return {views: shown->mapnew((_, each) => Look(each))}
  else
    return {lacks: command.do}
  endif
  return {}
enddef

def Answer(channel: channel, line: string)
  var answer: dict<any>
  try
    answer = Do(json_decode(line))
  catch
    answer = {error: v:exception}
  endtry
  ch_sendraw(channel, json_encode(answer) .. "\n")
enddef

var commands = ch_open(argv(-1)[-1], {mode: 'nl', callback: Answer})
while ch_status(commands) ==# 'open'
  sleep 10m
endwhile
quitall!
