vim9script
# Writes what a view shows into its buffer.

import autoload 'view_model/view.vim' as views

# The lines above those of the view: its title, its keys and its state.
export const head_height = 3

const groups = {
  ViewModelTitle: 'Title', ViewModelKeys: 'Comment', ViewModelStatus: 'WarningMsg',
  ViewModelLabel: 'Identifier', ViewModelMark: 'Special', ViewModelCancelled: 'Comment',
}

def DefineGroups()
  for [name, standard] in items(groups)
    execute $'highlight default link {name} {standard}'
    if empty(prop_type_get(name))
      prop_type_add(name, {highlight: name})
    endif
  endfor
enddef

DefineGroups()

augroup ViewModelColours
  # A colour scheme clears them.
  autocmd ColorScheme * DefineGroups()
augroup END

def Help(view: dict<any>): string
  return copy(view.keys)->filter((_, key) => key[1] !=# '')
    ->mapnew((_, key) => (key[0] ==# '<CR>' ? 'Enter' : key[0]) .. ' ' .. key[1])->join('   ')
enddef

def Content(view: dict<any>): list<any>
  var head = [
    [[view.type.Title(view), 'ViewModelTitle']],
    [[Help(view), 'ViewModelKeys']],
    [[views.Status(view), 'ViewModelStatus']],
  ]
  return head + view.type.Lines(view)
enddef

# A buffer's line is one line, whatever is in its text.
def OneLine(text: string): string
  return tr(text, "\n", ' ')
enddef

def Text(line: any): string
  return OneLine(type(line) == v:t_string ? line : line->mapnew((_, part) => part[0])->join(''))
enddef

def Highlight(buffer: number, number: number, line: any)
  if type(line) == v:t_string
    return
  endif
  var column = 1
  for part in line
    if len(part) > 1 && part[0] !=# ''
      prop_add(number, column, {bufnr: buffer, length: len(part[0]), type: part[1]})
    endif
    column += len(part[0])
  endfor
enddef

def Write(view: dict<any>, lines: list<any>)
  var buffer: number = view.buffer
  view.texts = lines->mapnew((_, line) => Text(line))
  setbufvar(buffer, '&modifiable', true)
  prop_clear(1, getbufinfo(buffer)[0].linecount, {bufnr: buffer})
  setbufline(buffer, 1, view.texts)
  silent deletebufline(buffer, len(lines) + 1, '$')
  setbufvar(buffer, '&modifiable', false)
  setbufvar(buffer, '&modified', false)
  for number in range(len(lines))
    Highlight(buffer, number + 1, lines[number])
  endfor
enddef

# The cursor waits on the first line of the view itself.
def LeaveHead(view: dict<any>)
  if len(view.texts) <= head_height || get(view, 'was_below_head', false)
    return
  endif
  view.was_below_head = true
  for window in win_findbuf(view.buffer)
    if line('.', window) <= head_height
      win_execute(window, $'cursor({head_height + 1}, 1)')
    endif
  endfor
enddef

# The state is shown at the bottom where a long list hides the head.
def SayHead(view: dict<any>)
  var status = views.Status(view)
  var head = status ==# '' ? view.type.Title(view) : status
  var is_new = head !=# get(view, 'said_head', '')
  view.said_head = head
  if !is_new || bufnr() != view.buffer || line('w0') <= head_height || mode() !=# 'n'
    return
  endif
  # A longer line would have to be answered.
  echohl ViewModelStatus
  echo strcharpart(head, 0, &columns - 12)
  echohl None
enddef

# Paints a view now.
def Paint(view: dict<any>)
  view.is_paint_requested = false
  if view.buffer == 0 || !bufloaded(view.buffer)
    return
  endif
  Write(view, Content(view))
  LeaveHead(view)
  SayHead(view)
enddef

# Paints a view soon, once for all that comes together.
export def Request(view: dict<any>)
  if get(view, 'is_paint_requested', false)
    return
  endif
  view.is_paint_requested = true
  timer_start(0, (_) => Paint(view))
enddef
