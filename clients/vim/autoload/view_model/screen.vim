vim9script
# Views on screen: each view has a buffer; a window that shows a stack shows its topmost view; a presented view
# is in a popup over the view that it covers.

import autoload 'view_model/ask.vim'
import autoload 'view_model/events.vim'
import autoload 'view_model/farewell.vim'
import autoload 'view_model/forms.vim'
import autoload 'view_model/json_text.vim'
import autoload 'view_model/paint.vim'
import autoload 'view_model/unanswered.vim'
import autoload 'view_model/view.vim' as views

var by_buffer: dict<any> = {} # the views by their buffers
var last_number = 0

def Of(buffer: number): dict<any>
  return get(by_buffer, string(buffer), {})
enddef

# Vim does nothing to buffers and windows amid an event about them.
def Soon(Act: func)
  timer_start(0, (_) => Act())
enddef

# Keys

# What is typed for a key, by its name in mappings.
def Typed(key: string): string
  return key =~ '^<.*>$' ? eval($'"\{key}"') : key
enddef

# The view that the current buffer shows, or an empty dictionary.
export def Current(): dict<any>
  return Of(bufnr())
enddef

# Takes a root off the screen, and its buffer away.
export def Close(root: dict<any>)
  if root.buffer != 0
    execute $':{root.buffer}bwipeout!'
  endif
enddef

def Leave(view: dict<any>)
  if empty(view.host) || views.LooksOnly(view)
    Close(views.Root(view))
  else
    farewell.Back(view)
  endif
enddef

# Opens what has ended. That may have been for want of arguments.
def OpenAgain(view: dict<any>)
  if view.state !=# 'ended'
    return
  elseif views.KeptKey(view) !=# '' || type(view.arguments) != v:t_none || view.client.state !=# 'open'
    views.Open(view)
  else
    views.Describe(view, (error) => OpenDescribed(view, error))
  endif
enddef

def OpenDescribed(view: dict<any>, error: any)
  if type(error) == v:t_none
    forms.AskArguments(view.description, (arguments) => OpenWith(view, arguments))
  else
    views.Open(view)
  endif
enddef

def OpenWith(view: dict<any>, arguments: any)
  view.arguments = arguments
  views.Open(view)
enddef

# The keys of every view.
def CommonKeys(view: dict<any>): list<any>
  var words = views.LooksOnly(view) ? 'leave' : 'back'
  if view.is_presented
    return [['q', words, (of, _) => Leave(of)], ['<Esc>', '', (of, _) => Leave(of)]]
  endif
  var forget = [['D', '', (of, _) => events.ForgetUnsent(of)]]
  if !empty(view.host)
    return [['q', words, (of, _) => Leave(of)]] + forget
  endif
  return [['q', 'leave', (of, _) => Leave(of)], ['R', '', (of, _) => OpenAgain(of)]] + forget
enddef

# A key of the view itself. One that has words sends something, unless it says otherwise, which isn't offered to who may only look.
def OfType(view: dict<any>, key: list<any>): list<any>
  if !views.LooksOnly(view) || key[1] ==# '' || get(key, 3, false)
    return key[: 2]
  endif
  return [key[0], '', (of, _) => views.SayLooksOnly(of)]
enddef

def Keys(view: dict<any>): list<any>
  var all = has_key(view.type, 'KeysNow') ? views.Ask(view, 'KeysNow', [view], []) : view.type.keys
  var own = all->mapnew((_, key) => OfType(view, key))
  var taken = own->mapnew((_, key) => key[0])
  return own + CommonKeys(view)->filter((_, key) => index(taken, key[0]) < 0)
enddef

# Does what a key of the current window's view does: the one with this number in the list of the view's keys.
export def Press(number: number)
  var view = Of(bufnr())
  if !empty(view) && number < len(view.keys)
    view.keys[number][2](view, line('.') - paint.head_height)
  endif
enddef

# Gives the current buffer its view's keys, in place of those that it had.
export def TakeKeys()
  var view = Of(bufnr())
  for key in get(view, 'taken_keys', [])
    execute $'silent! nunmap <buffer> {key}'
  endfor
  view.taken_keys = view.keys->mapnew((_, key) => key[0])
  for number in range(len(view.keys))
    execute $'nnoremap <buffer><nowait><silent> {view.keys[number][0]} <Cmd>call view_model#screen#Press({number})<CR>'
  endfor
enddef

# Another type of view has other keys, and other lines for the cursor.
def BeginAnew(view: dict<any>)
  if view.buffer == 0
    return
  endif
  view.keys = Keys(view)
  view.has_taken_keys = false
  view.was_below_head = false
  for window in win_findbuf(view.buffer)
    ShowIn(window, view)
  endfor
enddef

# Buffers

def MakeBuffer(view: dict<any>)
  last_number += 1
  var buffer = bufadd($'view-model://{last_number}/{view.name}')
  view.buffer = buffer
  by_buffer[buffer] = view
  # A buffer that is written by an autocommand may have something to lose; a scratch buffer never has.
  var options = {buftype: 'acwrite', bufhidden: 'hide', swapfile: false, buflisted: empty(view.host), modifiable: false,
    undolevels: -1} # nothing here is the user's to undo
  for [option, value] in items(options)
    setbufvar(buffer, '&' .. option, value)
  endfor
  silent noautocmd bufload(buffer)
  setbufvar(buffer, '&filetype', 'viewmodel')
  view.keys = Keys(view)
  view.has_taken_keys = false
  view.was_below_head = false
  augroup ViewModel
    execute $'autocmd BufUnload,BufWipeout <buffer={buffer}> call view_model#screen#Unloading({buffer})'
    execute $'autocmd BufWriteCmd <buffer={buffer}> call view_model#screen#Writing({buffer})'
  augroup END
enddef

def BufferOf(view: dict<any>): number
  if view.buffer == 0 || !bufloaded(view.buffer)
    MakeBuffer(view)
  endif
  paint.Request(view)
  return view.buffer
enddef

# The text of a buffer goes away: a `:edit` brings it back, all else means that the user has seen enough.
export def Unloading(buffer: number)
  Soon(() => Unloaded(buffer))
enddef

export def Writing(buffer: number)
  views.Say(Of(buffer), 'nothing is written here')
enddef

def Unloaded(buffer: number)
  var view = Of(buffer)
  if empty(view)
    return
  elseif bufloaded(buffer)
    paint.Request(view)
    return
  endif
  Forget(buffer)
  Wiped(view)
enddef

def Forget(buffer: number)
  var view = remove(by_buffer, string(buffer))
  if view.buffer == buffer
    view.buffer = 0
  endif
  if bufexists(buffer)
    execute $':{buffer}bwipeout!'
  endif
enddef

# A root's buffer that is wiped leaves the session; another's is a way to go back, which may be refused.
def Wiped(view: dict<any>)
  if view.state ==# 'ended'
    farewell.LeaveEnded(view)
  elseif empty(view.host)
    farewell.Leave(view)
  else
    farewell.Back(view)
  endif
enddef

# Windows

# Whether a view is on the stack of `base` or is `base`.
def IsOf(view: dict<any>, base: dict<any>): bool
  return view is base || (view.host is base && !view.is_presented)
enddef

def WindowsOf(base: dict<any>): list<number>
  return range(1, winnr('$'))->mapnew((_, number) => win_getid(number))->filter((_, window) => {
    var view = Of(winbufnr(window))
    return !empty(view) && IsOf(view, base)
  })
enddef

def ShowIn(window: number, view: dict<any>)
  var buffer = BufferOf(view)
  if winbufnr(window) != buffer
    win_execute(window, $'hide buffer {buffer}')
  endif
  if !view.has_taken_keys
    view.has_taken_keys = true
    win_execute(window, 'call view_model#screen#TakeKeys()')
  endif
enddef

# Popups

var pressed: list<func> = [] # what the keys do that were pressed, and not acted on

# Vim's timers of one time don't come in their order.
def ActNext()
  var Act = remove(pressed, 0)
  Act()
enddef

def TakesKey(popup: number, presented: dict<any>, key: string): bool
  # Commands are still there for who wants them.
  if key ==# ':'
    return false
  endif
  var view = views.Top(presented)
  for [name, _, Act] in view.keys
    if key ==# Typed(name)
      var line = line('.', popup) - paint.head_height
      add(pressed, () => Act(view, line))
      Soon(ActNext)
      return true
    endif
  endfor
  if index(['j', 'k', "\<Down>", "\<Up>", 'G'], key) >= 0
    win_execute(popup, 'normal! ' .. key)
  endif
  return true
enddef

def OpenPopup(presented: dict<any>, depth: number)
  presented.popup = popup_create(BufferOf(views.Top(presented)), {
    zindex: 50 + depth, minwidth: 20, maxwidth: &columns - 6, maxheight: &lines - 6,
    border: [], padding: [0, 1, 0, 1], cursorline: true,
    borderchars: &encoding ==# 'utf-8' ? ['─', '│', '─', '│', '╭', '╮', '╯', '╰'] : [],
    filter: (popup, key) => TakesKey(popup, presented, key), filtermode: 'n', mapping: false,
  })
  ask.WaitAgain()
enddef

def ClosePopup(presented: dict<any>)
  if presented.popup != 0
    popup_close(presented.popup)
    presented.popup = 0
    ask.WaitAgain()
  endif
enddef

# Shows the views over `view`, which is visible itself and has this many popups below it.
def ArrangePresented(view: dict<any>, depth: number = 0)
  var presented: dict<any> = view.presented
  if empty(presented)
    return
  endif
  # A popup keeps its buffer: another one is another popup.
  if presented.popup != 0 && winbufnr(presented.popup) != BufferOf(views.Top(presented))
    ClosePopup(presented)
  endif
  if presented.popup == 0
    OpenPopup(presented, depth)
  endif
  ArrangePresented(views.Top(presented), depth + 1)
enddef

def HidePresented(view: dict<any>)
  for child in views.Children(view)
    HidePresented(child)
  endfor
  if !empty(view.presented)
    ClosePopup(view.presented)
  endif
enddef

def DiscardEndedChildren(root: dict<any>)
  for view in values(by_buffer)
    if !empty(view.host) && view.state ==# 'ended' && views.Root(view) is root
      ClosePopup(view)
      Forget(view.buffer)
    endif
  endfor
enddef

# Brings all windows to what `root` shows now. Popups take all keys, so they stand only over the window that has them.
def Arrange(root: dict<any>)
  if root.buffer == 0
    DiscardEndedChildren(root)
    return
  endif
  var windows = WindowsOf(root)
  var top = views.Top(root)
  for window in windows
    ShowIn(window, top)
  endfor
  for covered in root.stack + [root]
    if covered isnot top && !empty(covered.presented)
      HidePresented(covered)
    endif
  endfor
  if index(windows, win_getid()) >= 0
    ArrangePresented(top)
  else
    HidePresented(top)
  endif
  DiscardEndedChildren(root)
enddef

# Another window or buffer has the keys.
def Refocus()
  var roots: list<any> = []
  for view in values(by_buffer)
    var root = views.Root(view)
    if indexof(roots, (_, other) => other is root) < 0
      add(roots, root)
    endif
  endfor
  for root in roots
    Arrange(root)
  endfor
enddef

export def Refocusing()
  if &filetype ==# 'viewmodel' || !empty(popup_list())
    Soon(Refocus)
  endif
enddef

# A window of another size shows another part of a list.
export def Resized()
  for view in values(by_buffer)
    if view.shown_list !=# ''
      paint.Request(view)
    endif
  endfor
enddef

augroup ViewModel
  autocmd WinResized,VimResized * view_model#screen#Resized()
  autocmd WinEnter,BufEnter * view_model#screen#Refocusing()
augroup END

def PaintIfShown(view: dict<any>)
  if view.buffer != 0
    paint.Request(view)
  endif
enddef

# Makes sure that this file is loaded, and so observes the views.
export def Begin()
enddef

# Shows a view in the current window.
export def Show(view: dict<any>)
  ShowIn(win_getid(), view)
enddef

views.Observe(
  (view) => PaintIfShown(view),
  (root) => Soon(() => Arrange(root)),
  BeginAnew,
  unanswered.Tell)
