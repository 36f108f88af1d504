vim9script
# How things stand with a view, in words.

import autoload 'view_model/client.vim' as clients
import autoload 'view_model/events.vim'
import autoload 'view_model/unsent.vim' as unsents
import autoload 'view_model/view.vim' as views
import autoload 'view_model/way_back.vim' as ways

def Counted(count: number, one: string, many: string): string
  return count == 0 ? '' : count == 1 ? $'1 event {one}' : $'{count} events {many}'
enddef

# What the user can do about a view that has ended.
def WayOn(view: dict<any>): string
  if !empty(view.host)
    return ''
  elseif view.is_replaced
    return $'; {view.again} shows it here again'
  elseif !view.may_be_kept
    return $'; {view.again} opens it again'
  endif
  var back = $'; if the session is kept, R or {ways.Of(view)} goes back to it'
  # Of a view model with a scope there is no other one to be opened.
  return back .. (has_key(view.client.scopes, view.name) ? '' : $'; :ViewModel {view.name} opens another')
enddef

# The reason why a view isn't live; empty where it is.
def Hindrance(view: dict<any>): string
  if view.state ==# 'ended'
    return $'ended: {view.problem}{WayOn(view)}'
  elseif clients.IsSilent(view.client)
    return "the server doesn't answer; waiting for it"
  elseif views.Stall(view) !=# ''
    var reason = substitute(views.Stall(view), "^the store can't be used: ", '', '')
    return $"the server can't store anything now ({reason}); what was sent waits for it"
  elseif view.client.problem !=# ''
    return $'{view.client.problem}; trying again'
  elseif view.state ==# 'opening' && empty(view.host)
    return 'opening…'
  elseif view.state ==# 'lost'
    return 'attaching again…'
  endif
  return ''
enddef

def Joined(parts: list<string>): string
  return parts->filter((_, part) => part !=# '')->join('; ')
enddef

# The state of a view; empty where it is as usual.
export def Of(view: dict<any>): string
  var [all, sent] = view.is_presented ? [0, 0] : unsents.Counts(views.Root(view).unsent)
  var parts = [
    view.failure ==# '' ? '' : 'the view fails: ' .. view.failure,
    view.message ==# views.Stall(view) ? '' : view.message,
    Counted(events.WaitingCount(view), 'waits to be sent', 'wait to be sent'),
    Counted(len(events.Held(view)), "isn't answered yet", "aren't answered yet"),
    Counted(all - sent, "wasn't sent", "weren't sent"),
    Counted(sent, "wasn't answered", "weren't answered"),
    Hindrance(view),
  ]
  return Joined(parts)
enddef

# What the user may do with a view's session, and who else is here; empty where there is nothing to say.
export def Here(view: dict<any>): string
  return Joined([view.access ==# 'read' ? 'looking only' : '', view.state ==# 'live' ? view.here : ''])
enddef

# Whether what it shows may be old.
export def IsStale(view: dict<any>): bool
  return index(['lost', 'ended'], view.state) >= 0 || clients.IsSilent(view.client)
enddef
