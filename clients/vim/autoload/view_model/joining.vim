vim9script
# Shows sessions that are known by their keys.

import autoload 'view_model/client.vim' as clients
import autoload 'view_model/view.vim' as views

# Shows the session that has this key, of whatever view model. Calls Done(problem, {}), or Done('', view) before that
# learns what to show.
export def Join(client: dict<any>, key: string, Done: func)
  var view = views.New(client, {name: '', key: key})
  clients.Request(client, 'session/attach', {key: key, client: view.outbox.client_name, views: true},
    (error, result) => Joined(view, error, result, Done))
enddef

def Joined(view: dict<any>, error: any, result: any, Done: func)
  if type(error) != v:t_none
    views.Finish(view, error.message)
    Done(error.message, {})
    return
  endif
  view.name = result.viewModel
  views.TakeType(view, get(view.client.types, view.name, ''))
  add(view.client.roots, view)
  if get(view.type, 'wants_description', false)
    views.Describe(view)
  endif
  Done('', view)
  views.TakeAttachment(view, result)
enddef
