vim9script
# Going back, leaving a session, which goes on, and ending it, which is another thing. What goes on is said, with the
# way back.

import autoload 'view_model/client.vim' as clients
import autoload 'view_model/paint.vim'
import autoload 'view_model/unanswered.vim'
import autoload 'view_model/view.vim' as views
import autoload 'view_model/way_back.vim' as ways

# Goes back from this view, where the view model lets one.
export def Back(view: dict<any>)
  if views.LooksOnly(view)
    views.SayLooksOnly(view)
    views.Arranged(view)
    return
  elseif view.state !=# 'live'
    views.Say(view, 'there is no connection to go back over')
    return
  endif
  view.message = ''
  views.Changed(view)
  views.Request(view, 'navigation/back', {session: view.session}, (error, _) => {
    if type(error) != v:t_none
      var refused = get(get(error, 'data', {}), 'refused', '')
      views.Say(view, refused ==# '' ? error.message : "can't go back: " .. refused)
      views.Arranged(view)
    endif
  })
enddef

def DetachAll(view: dict<any>)
  if view.session != 0 && view.client.state ==# 'open'
    views.DetachFrom(view.client, view)
  endif
  for child in views.Children(view)
    DetachAll(child)
  endfor
enddef

# The user goes away from this view and all that it shows. Its session goes on.
export def LeaveView(view: dict<any>)
  view.is_left = true
  DetachAll(view)
  views.Finish(view, 'it was left')
enddef

# Leaves a root, whose buffer is gone, and says the way back.
export def Leave(root: dict<any>)
  var key: string = root.key
  LeaveView(root)
  unanswered.SayLater(root)
  if key !=# ''
    clients.Remember(root.client, root.name, key)
    echomsg $'view model: {root.name} goes on; {ways.Of(root)} goes back to it'
  endif
enddef

# Says the way back to a root that has ended, whose buffer is gone, where its session may be kept all the same.
export def LeaveEnded(root: dict<any>)
  if root.may_be_kept
    clients.ForgetFailed(root.client, root)
    echomsg $'view model: {root.name} may be kept; {ways.Of(root)} goes back to it'
  endif
enddef

# The keys of the sessions that were left, newest first; those that begin with `lead`, or whose view model does.
export def Keys(client: dict<any>, lead: string): list<string>
  return copy(client.left)->filter((_, one) => stridx(one.key, lead) == 0 || stridx(one.name, lead) == 0)
    ->mapnew((_, one) => one.key)
enddef

def Question(root: dict<any>, others: number): string
  var words = [$'End {root.name} for good?']
  if others > 0
    add(words, others == 1 ? 'Another view of it is open.' : $'{others} other views of it are open.')
  endif
  if root.client.is_durable
    add(words, 'What the server has stored of it is removed.')
  endif
  return join(words)
enddef

# Whether a client that ends the session only leaves it.
def IsShared(root: dict<any>): bool
  return get(root.client.scopes, root.name, '') ==# 'everyone'
enddef

# Ends the session of a root, and calls Ended(root). Asks first where that takes something from others, or from a store.
export def EndSession(root: dict<any>, Ended: func)
  if root.state ==# 'ended'
    Ended(root)
  elseif views.LooksOnly(root)
    views.SayLooksOnly(root)
  elseif root.state !=# 'live' || clients.IsSilent(root.client)
    views.Say(root, "it can't be ended now")
  elseif IsShared(root)
    Close(root, Ended)
  else
    var session: number = root.session
    clients.Request(root.client, 'session/list', {}, (error, result) => Listed(root, session, error, result, Ended))
  endif
enddef

def Listed(root: dict<any>, session: number, error: any, result: any, Ended: func)
  if type(error) != v:t_none || root.session != session
    views.Say(root, "it can't be ended now")
    return
  endif
  var others = 0
  for one in result.sessions
    if one.session == session
      others = one.views - 1
    endif
  endfor
  var needs_asking = others > 0 || root.client.is_durable
  if needs_asking && confirm(Question(root, others), "&End it\n&Keep it", 2) != 1
    return
  endif
  if root.session == session
    Close(root, Ended)
  endif
enddef

def Close(root: dict<any>, Ended: func)
  views.Request(root, 'session/close', {session: root.session}, (problem, _) => Closed(root, problem, Ended))
enddef

def Closed(root: dict<any>, error: any, Ended: func)
  if type(error) != v:t_none
    views.Say(root, "can't end it: " .. error.message)
    return
  endif
  root.is_left = true
  views.Finish(root, 'it was ended')
  Ended(root)
  if IsShared(root)
    echomsg $'view model: {root.name} stays for the others; {ways.Of(root)} goes back to it'
  endif
enddef

# How to find again what a store keeps.
def KeptLines(client: dict<any>): list<string>
  var all: list<dict<any>> = (client.is_durable ? client.roots : []) + client.failed
  return all->filter((_, root) => root.key !=# '' && empty(root.observer))->mapnew((_, root) =>
    $'view model: {root.name} is kept if it is durable; {ways.Of(root)} finds it')
enddef

# Says something on the terminal itself, where it is still read when Vim has ended; a script's is the standard error.
def SayAtEnd(lines: list<string>)
  if empty(lines)
    return
  elseif has('gui_running') || &term ==# ''
    silent! writefile(lines, '/dev/stderr', 'a')
  else
    # To the screen of before, and back to Vim's, which it leaves again itself. At a signal it has left that already.
    var [from, to] = v:dying > 0 ? ['', ''] : [&t_te, &t_ti]
    echoraw(from .. join(lines, "\r\n") .. "\r\n" .. to)
  endif
enddef

# Vim is about to end, unless a buffer is modified: waits for what isn't answered, and has it show where no answer came.
export def HoldBack()
  unanswered.Wait()
  unanswered.Hold(paint.Paint)
enddef

# Leaves all sessions, since Vim ends.
export def LeaveAll(client: dict<any>)
  # Not amid a signal's handler: a Vim that gets a second hangup there hangs. `shutdown` below gives time enough.
  if v:dying == 0
    unanswered.Wait()
  endif
  var kept = KeptLines(client)
  if client.is_durable
    # A server of before 1.2 ends at `shutdown` what isn't left before.
    for root in client.roots
      DetachAll(root)
    endfor
  endif
  clients.Leave(client)
  SayAtEnd(kept + unanswered.Lines())
enddef
