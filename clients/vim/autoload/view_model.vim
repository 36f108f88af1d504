vim9script
# Opens view models that a server hosts, each in a buffer.
#
# g:view_model says where the server is:
#   command  a list: the server is started with it and spoken to over its standard input and output
#   address  instead of a command: 'HOST:PORT', or the path of a Unix socket
#   token    what `initialize` carries where the server wants one
# and g:view_model_views has views of the user's own; see view_model/views.vim.

import autoload 'view_model/ask.vim'
import autoload 'view_model/client.vim' as clients
import autoload 'view_model/events.vim'
import autoload 'view_model/farewell.vim'
import autoload 'view_model/finder.vim'
import autoload 'view_model/forms.vim'
import autoload 'view_model/joining.vim'
import autoload 'view_model/kept.vim'
import autoload 'view_model/lists.vim'
import autoload 'view_model/rows.vim'
import autoload 'view_model/screen.vim' as screens
import autoload 'view_model/view.vim' as views
import autoload 'view_model/views.vim' as types

var client: dict<any>

def ConnectedClient(): dict<any>
  if empty(client)
    client = clients.New(extend({command: ['view-model-server', '--stdio']}, get(g:, 'view_model', {})))
    # Before it is looked whether a buffer is modified; also where that doesn't count, as for `:qall!`.
    autocmd ExitPre * farewell.HoldBack()
    autocmd VimLeavePre * LeaveVim()
  endif
  clients.Connect(client)
  return client
enddef

def LeaveVim()
  farewell.LeaveAll(client)
enddef

def Say(text: string)
  echohl WarningMsg
  echomsg 'view model: ' .. text
  echohl None
enddef

# The names of the hosted view models that begin with `lead`. Waits up to two seconds for the server.
export def Names(lead: string): list<string>
  var current = ConnectedClient()
  var start = reltime()
  while current.state !=# 'open' && reltimefloat(reltime(start)) < 2.0
    sleep 10m
  endwhile
  return copy(current.names)->filter((_, name) => stridx(name, lead) == 0)
enddef

export def Complete(lead: string, line: string, position: number): list<string>
  return len(split(strpart(line, 0, position - len(lead)))) == 1 ? Names(lead) : []
enddef

# Opens a view model in the current window, or the picker where it is a finder, with `arguments` as a dictionary, or
# null for none.
export def Open(name: string, arguments: any = null)
  var current = ConnectedClient()
  if get(types.Of(name, get(current.types, name, '')), 'is_picker', false)
    finder.Open(current, arguments ?? {})
    return
  endif
  var view = views.New(current, {name: name, arguments: arguments})
  screens.Show(view)
  views.Open(view)
enddef

# Shows the session with this key in the current window, whoever has opened it.
export def Attach(key: string)
  screens.Begin()
  var current = ConnectedClient()
  clients.WhenOpen(current, () => joining.Join(current, key, Joined), Say)
enddef

def Joined(problem: string, view: dict<any>)
  if problem ==# ''
    screens.Show(view)
  else
    Say(problem)
  endif
enddef

# The keys of sessions that were left here, for completion.
export def CompleteKey(lead: string, line: string, position: number): list<string>
  return empty(client) ? [] : farewell.Keys(client, lead)
enddef

# Says the key of the session in the current buffer, and puts it into the unnamed register, to be pasted elsewhere. With
# `access` 'read' it is another one, with which others can only look.
export def Key(access: string)
  var view = screens.Current()
  if empty(view)
    Say('this buffer shows no view model')
  elseif access ==# '' && view.key !=# ''
    GiveKey(view, view.key)
  elseif access ==# 'read' && view.state ==# 'live'
    views.Request(view, 'session/key', {session: view.session, access: access}, (error, result) => {
      if type(error) == v:t_none
        GiveKey(view, result.key)
      else
        Say(error.message)
      endif
    })
  else
    Say(access ==# '' ? 'it has no session yet' : access ==# 'read' ? 'there is no connection to ask for the key over'
      : $'expected "read", not "{access}"')
  endif
enddef

def GiveKey(view: dict<any>, key: string)
  setreg('"', key)
  echo $'{view.name}: {key}'
enddef

export def CompleteAccess(lead: string, line: string, position: number): list<string>
  return ['read']
enddef

# Ends the session in the current buffer, with all that stands on it.
export def EndSession()
  var view = screens.Current()
  if empty(view)
    Say('this buffer shows no view model')
  else
    farewell.EndSession(views.Root(view), screens.Close)
  endif
enddef

# Opens the picker, in which `mode` is searched at first: 'files', 'text' or 'regex'. `root` is a folder that this Vim
# knows, or one below the server's; empty for that one itself.
export def Find(root: string = '', mode: string = 'files')
  var path = expand(root)
  var arguments = root ==# '' ? {} : {root: isdirectory(path) ? resolve(fnamemodify(path, ':p')) : root}
  finder.Open(ConnectedClient(), arguments, mode)
enddef

# Sends a view event, a dictionary with a `kind`, from a view of the user's own.
export def Send(view: dict<any>, event: dict<any>)
  events.Send(view, event)
enddef

# A list of the view model: a dictionary with its `count` of rows. Its rows change; the dictionary stays.
export def List(view: dict<any>, name: string): dict<any>
  return lists.Named(view, name)
enddef

# The row of a list at an index from 0; null where it isn't here (yet).
export def Row(list: dict<any>, index: number): any
  return rows.Row(list, index)
enddef

# Says which rows of a list are shown, so that they are asked for where they aren't here. To be called by Lines(), each
# time.
export def ShowRows(list: dict<any>, first: number, count: number)
  rows.Show(list, first, count)
enddef

# Opens a view model with the arguments that it needs, for which the user is asked. Where that can't be, the view says
# why.
def OpenAsking(name: string)
  var current = ConnectedClient()
  var Describe = () => clients.Request(current, 'viewModel/describe', {viewModel: name},
    (error, description) => OpenDescribed(name, error, description))
  clients.WhenOpen(current, Describe, (_) => Open(name))
enddef

def OpenDescribed(name: string, error: any, description: any)
  if type(error) == v:t_none
    forms.AskArguments(description, (arguments) => Open(name, arguments))
  else
    Open(name)
  endif
enddef

def Choose()
  var current = ConnectedClient()
  clients.WhenOpen(current, () => kept.Ask(current, (sessions) => ChooseAmong(sessions, current.names)), Say)
enddef

# Lets the user choose among the sessions to come back to, and what can be opened.
def ChooseAmong(sessions: list<any>, names: list<string>)
  var lines = sessions->mapnew((_, session) => kept.Line(session)) + names
  ask.Place('View model', lines, (place) => {
    if place < len(sessions)
      Attach(sessions[place].key)
    else
      OpenAsking(lines[place])
    endif
  })
enddef

# The command `:ViewModel`, with a name, and perhaps JSON text.
export def Command(words: string)
  var [name, arguments] = matchlist(words, '^\(\S*\)\s*\(.*\)$')[1 : 2]
  if name ==# ''
    Choose()
  elseif arguments ==# ''
    OpenAsking(name)
  else
    OpenWith(name, arguments)
  endif
enddef

def OpenWith(name: string, text: string)
  var arguments: any = null
  try
    arguments = json_decode(text)
  catch
  endtry
  if type(arguments) == v:t_dict
    Open(name, arguments)
  else
    Say('the arguments must be a JSON object, such as {"delay": 0}')
  endif
enddef
