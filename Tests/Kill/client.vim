vim9script
# A client in Vim for `run`: sends events to a durable session until the file ENDS is there, and says what it saw in the file
# REPORT, line by line. WORK is the view model: counter, todos or orders.
#
#     SOCKET=… ENDS=… REPORT=… WORK=… vim -N -n -i NONE -u NONE -es --cmd 'set rtp^=clients/vim' -S client.vim

import autoload 'view_model/events.vim'
import autoload 'view_model/farewell.vim'
import autoload 'view_model/view.vim' as views

var view: dict<any> = {}
# The root's numbers with their events.
var seen: dict<any> = {}

def Write(text: string)
  writefile([text], $REPORT, 'a')
enddef

def Fail(words: string)
  writefile([words], '/dev/stderr', 'a')
  cquit!
enddef

def IsOver(): bool
  return filereadable($ENDS)
enddef

# What comes from the server is taken meanwhile.
def Await(Condition: func(): bool)
  while !Condition()
    sleep 3m
  endwhile
enddef

def Pause(seconds: float, Condition: func(): bool = () => false)
  const start = reltime()
  Await(() => Condition() || reltimefloat(reltime(start)) > seconds)
enddef

# The view of the user's own, by the plugin's interface for these.
def Apply(model: dict<any>, event: dict<any>)
  if empty(view) # a snapshot would come before the view is opened
    Fail('an event came too soon')
  endif
  const number = string(view.seq)
  if has_key(seen, number)
    Fail('number ' .. number .. ' came twice, or a snapshot came')
  endif
  seen[number] = event
enddef

g:view_model = {address: $SOCKET}
g:view_model_views = {}
g:view_model_views[$WORK] = {
  Apply: Apply,
  Lines: (shown) => [$"{len(seen)} events"],
  Opened: (opened) => {
    view = opened
  },
}

# Sends events as a user does: again where the plugin says that they weren't sent, since the store can't be reached.
def Deliver(to: dict<any>, list: list<dict<any>>)
  var left = list
  while !empty(left)
    events.ForgetUnsent(to)
    for event in left
      view_model#Send(to, event)
    endfor
    Await(() => to.state ==# 'ended' || to.state ==# 'live' && empty(to.outbox.events))
    if view.state ==# 'ended'
      Fail('it has ended: ' .. view.problem)
    endif
    left = to.state ==# 'ended' ? [] : views.Root(to).unsent->mapnew((_, unsent) => unsent.event)
    if !empty(left)
      Pause(0.2)
    endif
  endwhile
enddef

def Report(sent: number, more: dict<any>)
  Await(() => view.state ==# 'live')
  Write(json_encode(extend({viewModel: view.name, key: view.key, sent: sent}, more)))
enddef

def Count()
  var sent = 0
  while !IsOver()
    Deliver(view, range(10)->mapnew((_, _) => ({kind: 'increment', by: 1})))
    sent += 10
  endwhile
  Report(sent, {last: seen[string(view.seq)].value, seen: seen})
enddef

def Note()
  var sent = 0
  while !IsOver()
    Deliver(view, [{kind: 'add', title: string(sent)}])
    Deliver(view, [{kind: 'toggle', id: sent / 2 + 1}])
    Deliver(view, [{kind: 'removeDone'}])
    sent += 2
  endwhile
  Report(sent, {seen: seen})
enddef

def GoBack(details: dict<any>)
  while details.state !=# 'ended'
    if details.state ==# 'live'
      farewell.Back(details)
      Pause(0.1, () => details.state ==# 'ended')
    else
      sleep 3m
    endif
  endwhile
enddef

def Order()
  var sent = 0
  while true
    Deliver(view, [{kind: 'selectOrder', index: sent % 20}])
    Await(() => !empty(view.stack) && view.stack[0].state ==# 'live')
    const details = view.stack[0]
    Deliver(details, [{kind: 'editNote', value: string(sent)}])
    Deliver(details, [{kind: 'saveNote'}])
    sent += 3
    if IsOver()
      break
    endif
    GoBack(details)
  endwhile
  const list = view_model#List(view, 'orders')
  Await(() => {
    if view.state ==# 'live'
      view_model#ShowRows(list, 0, 20)
    endif
    return range(20)->indexof((_, index) => type(view_model#Row(list, index)) == v:t_none) < 0
  })
  const ids = range(list.count)->mapnew((_, index) => view_model#Row(list, index).id)
  Report(sent, {navigation: view.stack->mapnew((_, child) => child.name), rows: ids})
enddef

def Run()
  view_model#Open($WORK, {orders: {count: 20, delay: 0}, todos: {list: $'{getpid()} {localtime()}'}}->get($WORK, null))
  Await(() => !empty(view))
  if $WORK ==# 'orders'
    Deliver(view, [{kind: 'loadOrders'}])
  endif
  Await(() => view.state ==# 'live' && view.seq > 0)
  Write('open')
  {counter: Count, todos: Note, orders: Order}[$WORK]()
  Write('done')
  # It stays: without it nobody would have the session any more.
  Await(() => false)
enddef

try
  Run()
catch
  Fail(v:exception .. ' at ' .. v:throwpoint)
endtry
