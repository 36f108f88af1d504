vim9script
# How things stand with a view, in words.

import autoload 'view_model/client.vim' as clients
import autoload 'view_model/events.vim'
import autoload 'view_model/unsent.vim' as unsents
import autoload 'view_model/view.vim' as views

def Counted(count: number, one: string, many: string): string
  return count == 0 ? '' : count == 1 ? $'1 event {one}' : $'{count} events {many}'
enddef

# The reason why a view isn't live; empty where it is.
def Hindrance(view: dict<any>): string
  if view.state ==# 'ended'
    var again = view.is_replaced ? 'shows it here again' : 'opens it again'
    return empty(view.host) ? $'ended: {view.problem}; {view.again} {again}' : $'ended: {view.problem}'
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
  return parts->filter((_, part) => part !=# '')->join('; ')
enddef

# Whether what it shows may be old.
export def IsStale(view: dict<any>): bool
  return index(['lost', 'ended'], view.state) >= 0 || clients.IsSilent(view.client)
enddef
