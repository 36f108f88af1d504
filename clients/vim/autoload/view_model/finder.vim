vim9script
# The picker for a finder: what is typed at the top of a popup, the best results below it, and beside it the file of the
# selected one. Its session is kept when it closes, so that it has all files when it is opened again.

import autoload 'view_model/ask.vim'
import autoload 'view_model/finder/opening.vim'
import autoload 'view_model/finder/popups.vim'
import autoload 'view_model/finder/preview.vim' as previews
import autoload 'view_model/finder/prompt.vim' as prompts
import autoload 'view_model/finder/screen.vim'
import autoload 'view_model/finder/search.vim' as searches

# How long rows of what was typed before look like others, in ms.
const patience = 100

# All pickers, by the arguments of their sessions. At most one is on screen, and has a popup.
var pickers: dict<any> = {}

def New(client: dict<any>, arguments: dict<any>): dict<any>
  var picker = {
    popup: 0,
    preview: previews.New(),
    painted: {},
    head_height: 0, # above the results
    rows_height: 1,
    late_timer: 0,
    is_late: false, # whether that is shown
    is_update_requested: false,
  }
  picker.search = {}
  picker.search = searches.New(client, arguments, (_) => Request(picker))
  return picker
enddef

# Updates soon, once for all that comes together.
def Request(picker: dict<any>): number
  if !picker.is_update_requested
    picker.is_update_requested = true
    timer_start(0, (_) => Update(picker))
  endif
  return 0
enddef

# Brings the view model to what is wanted, and the screen to what it says.
def Update(picker: dict<any>)
  picker.is_update_requested = false
  var accepted = searches.TakeAccepted(picker.search)
  if !empty(accepted)
    OpenAccepted(picker, accepted)
  elseif picker.popup == 0
    searches.Rest(picker.search)
  else
    picker.search.has_preview = !empty(popups.Frames()[1])
    searches.Sync(picker.search)
    NoteLateness(picker)
    screen.Paint(picker)
  endif
enddef

def OpenAccepted(picker: dict<any>, accepted: dict<any>)
  var command = picker.search.accepting
  Close(picker)
  opening.Open(accepted, picker.search.accepted_row, command)
enddef

# Rows of what was typed before are dimmed, but not for as short a time as an answer usually takes.
def NoteLateness(picker: dict<any>)
  if searches.IsFresh(picker.search)
    timer_stop(picker.late_timer)
    extend(picker, {late_timer: 0, is_late: false})
  elseif picker.late_timer == 0
    picker.late_timer = timer_start(patience, (_) => BeLate(picker))
  endif
enddef

def BeLate(picker: dict<any>)
  picker.is_late = true
  Request(picker)
enddef

# Keys

def NextMode(picker: dict<any>, step: number)
  var modes = searches.modes
  picker.search.mode = modes[(index(modes, picker.search.mode) + step + len(modes)) % len(modes)]
  searches.Change(picker.search)
enddef

def MovePage(picker: dict<any>, pages: number)
  searches.SelectBy(picker.search, pages * picker.rows_height)
enddef

def Accept(picker: dict<any>, command: string)
  picker.search.command = command
enddef

# A click selects, a second one opens.
def Click(picker: dict<any>, command: string)
  var mouse = getmousepos()
  var row = mouse.line - picker.head_height - 1
  if mouse.winid == picker.popup && row >= 0
    searches.Select(picker.search, searches.Results(picker.search).top.index + row)
    picker.search.command = command
  endif
enddef

def Wheel(picker: dict<any>, by: number)
  if getmousepos().winid == picker.preview.popup
    previews.Scroll(picker.preview, by)
  else
    searches.SelectBy(picker.search, 3 * by)
  endif
enddef

# What isn't a key of the user's.
const passed = ["\<CursorHold>", "\<FocusGained>", "\<FocusLost>", "\<Ignore>"]

def TakesKey(picker: dict<any>, key: string): bool
  if index(passed, key) >= 0
    return false
  endif
  var search = picker.search
  search.command = '' # whoever goes on typing doesn't wait for it any more
  if has_key(keys, key) && !prompts.WantsAny(search.prompt)
    keys[key](picker)
  else
    var before = search.prompt.text
    prompts.Take(search.prompt, key)
    if search.prompt.text !=# before
      searches.Change(search)
    endif
  endif
  # What is typed is sent at once, and painted when no more keys wait.
  if picker.popup != 0
    searches.Sync(search)
  endif
  Request(picker)
  return true
enddef

# Opening and closing

# Opens the picker for a session with these arguments, where `mode` is searched.
export def Open(client: dict<any>, arguments: dict<any>, mode: string = 'files')
  for other in values(pickers)
    Close(other)
  endfor
  var name = json_encode(arguments)
  if !has_key(pickers, name)
    pickers[name] = New(client, arguments)
  endif
  var picker = pickers[name]
  picker.popup = popups.Open({
    zindex: 100, mapping: false, filter: (_, key) => TakesKey(picker, key), callback: (_, _) => Closed(picker),
  })
  popups.HideCursor()
  ask.WaitAgain()
  picker.search.mode = mode
  searches.BeginAnew(picker.search)
  if picker.search.view.state ==# 'ended'
    searches.OpenSession(picker.search)
  endif
  Update(picker)
enddef

def Close(picker: dict<any>)
  popups.Close(picker.popup)
enddef

# The popup is gone, by a key or by CTRL-C.
def Closed(picker: dict<any>)
  picker.popup = 0
  picker.painted = {}
  popups.ShowCursor()
  previews.Close(picker.preview)
  searches.Clear(picker.search)
  ask.WaitAgain()
enddef

# A screen of another size has room for more or less.
export def Resized()
  for picker in values(pickers)
    if picker.popup != 0
      Update(picker)
    endif
  endfor
enddef

augroup ViewModelFinder
  autocmd VimResized * view_model#finder#Resized()
augroup END

const keys: dict<func> = {
  "\<Esc>": (picker) => Close(picker),
  "\<C-g>": (picker) => Close(picker),
  "\<CR>": (picker) => Accept(picker, 'edit'),
  "\<C-x>": (picker) => Accept(picker, 'split'),
  "\<C-v>": (picker) => Accept(picker, 'vsplit'),
  "\<C-t>": (picker) => Accept(picker, 'tabedit'),
  "\<C-n>": (picker) => searches.Step(picker.search, 1),
  "\<C-j>": (picker) => searches.Step(picker.search, 1),
  "\<Down>": (picker) => searches.Step(picker.search, 1),
  "\<C-p>": (picker) => searches.Step(picker.search, -1),
  "\<C-k>": (picker) => searches.Step(picker.search, -1),
  "\<Up>": (picker) => searches.Step(picker.search, -1),
  "\<PageDown>": (picker) => MovePage(picker, 1),
  "\<PageUp>": (picker) => MovePage(picker, -1),
  "\<C-Home>": (picker) => searches.Select(picker.search, 0),
  "\<C-End>": (picker) => searches.Select(picker.search, searches.Results(picker.search).count - 1),
  "\<Tab>": (picker) => NextMode(picker, 1),
  "\<C-f>": (picker) => NextMode(picker, 1),
  "\<S-Tab>": (picker) => NextMode(picker, -1),
  "\<C-b>": (picker) => NextMode(picker, -1),
  "\<S-Down>": (picker) => previews.Scroll(picker.preview, 1),
  "\<S-Up>": (picker) => previews.Scroll(picker.preview, -1),
  "\<F5>": (picker) => searches.Refresh(picker.search),
  "\<LeftMouse>": (picker) => Click(picker, ''),
  "\<2-LeftMouse>": (picker) => Click(picker, 'edit'),
  "\<ScrollWheelDown>": (picker) => Wheel(picker, 1),
  "\<ScrollWheelUp>": (picker) => Wheel(picker, -1),
}
