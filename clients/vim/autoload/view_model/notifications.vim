vim9script
# What the server says of a view's session.

import autoload 'view_model/children.vim'
import autoload 'view_model/here.vim'
import autoload 'view_model/lists.vim'
import autoload 'view_model/outbox.vim' as outboxes
import autoload 'view_model/view.vim' as views

# Takes a notification of this view's session.
export def Take(view: dict<any>, method: string, params: dict<any>)
  if method ==# 'session/closed'
    Closed(view, params.reason)
  elseif method ==# 'session/views'
    view.here = here.Of(params)
    views.Changed(view)
  elseif get(params, 'seq', 0) <= view.seq
    return
  elseif params.seq != view.seq + 1 && get(params, 'after', -1) != view.seq
    views.AttachAgain(view)
  else
    view.seq = params.seq
    TakeNext(view, method, params)
  endif
enddef

def TakeNext(view: dict<any>, method: string, params: dict<any>)
  if method ==# 'viewModel/event'
    lists.Take(view, params.event, params.seq)
    views.Ask(view, 'Apply', [view.model, params.event])
    views.Changed(view)
  elseif method ==# 'navigation/push'
    children.ShowChild(view, params, false)
  elseif method ==# 'navigation/present'
    children.ShowChild(view, params, true)
  elseif method ==# 'navigation/pop' || method ==# 'navigation/dismiss'
    children.EndChild(view, params.key)
  endif
enddef

def Closed(view: dict<any>, reason: string)
  remove(view.client.by_session, view.session)
  view.session = 0
  # By what this client sent on a connection that it gave up, and came late. The second time it is another client.
  const is_late = reason ==# 'replaced' && !view.was_replaced
  view.was_replaced = view.was_replaced || is_late
  if reason ==# 'overflow' || is_late
    view.state = 'lost'
    outboxes.ForgetRequests(view.outbox)
    lists.Leave(view)
    views.Attach(view)
  elseif reason ==# 'failed' && view.client.is_durable
    # What failed is in the store, where the view model is durable.
    views.Fail(view, views.reasons.failed)
  else
    view.is_replaced = reason ==# 'replaced'
    views.Finish(view, get(views.reasons, reason, reason))
  endif
enddef
