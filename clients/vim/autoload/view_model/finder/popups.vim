vim9script
# The popups of the picker: where they stand, and what is in them.

import autoload 'view_model/finder/lines.vim'
import autoload 'view_model/highlights.vim'

# The narrowest screen that has room for a preview, in columns.
const columns_for_preview = 100

# Frames, in cells: `line` and `col` of the border, `width` and `height` of what is in it.
def Frame(line: number, col: number, width: number, height: number): dict<any>
  return {line: line, col: col, width: max([1, width - 4]), height: max([3, height - 2])}
enddef

# Where the results and the preview are; that is an empty dictionary where there is no room for it.
export def Frames(): list<dict<any>>
  var has_preview = &columns >= columns_for_preview
  var width = &columns < 60 ? &columns : &columns * 9 / 10
  var height = &lines < 20 ? &lines - 1 : &lines * 8 / 10
  var line = (&lines - height) / 2 + 1
  var col = (&columns - width) / 2 + 1
  if !has_preview
    return [Frame(line, col, width, height), {}]
  endif
  var left = width / 2
  return [Frame(line, col, left, height), Frame(line, col + left, width - left, height)]
enddef

export def Open(options: dict<any>): number
  highlights.Define()
  return popup_create('', extend({
    border: [], padding: [0, 1, 0, 1], wrap: false, scrollbar: false,
    borderchars: &encoding ==# 'utf-8' ? ['─', '│', '─', '│', '╭', '╮', '╯', '╰'] : [],
    highlight: 'ViewModelPicker', borderhighlight: ['ViewModelPickerBorder'],
  }, options))
enddef

export def Close(popup: number)
  if popup != 0
    popup_close(popup)
  endif
enddef

# A title that fits into the border.
export def Title(text: string, width: number): string
  return text ==# '' ? '' : $' {lines.Tail(text, width - 2)} '
enddef

# Shows lines in a popup, `painted.lines`, at `painted.frame`, under `painted.title`.
export def Paint(popup: number, painted: dict<any>)
  var frame = painted.frame
  popup_setoptions(popup, {
    pos: 'topleft', line: frame.line, col: frame.col, title: painted.title,
    minwidth: frame.width, maxwidth: frame.width, minheight: frame.height, maxheight: frame.height,
  })
  # Without a line the highlights of the last one would stay.
  popup_settext(popup, painted.lines ?? [lines.Line([])])
enddef

# Highlights the text as that of a file of this name, where files are. Nothing else is done as for a file.
export def HighlightAs(popup: number, path: string)
  if !exists('g:syntax_on') || !exists('g:did_load_filetypes')
    return
  endif
  var ignored = &eventignore
  set eventignore+=FileType
  try
    win_execute(popup, ['setlocal filetype=',
      $'silent! doautocmd <nomodeline> filetypedetect BufNewFile {fnameescape(path)}'])
  finally
    &eventignore = ignored
  endtry
  win_execute(popup, $'setlocal syntax={getwinvar(popup, "&filetype")}')
enddef

# The terminal's cursor would be in the window below: the prompt has one of its own.

var cursor_on = ''

export def HideCursor()
  if cursor_on ==# '' && !has('gui_running')
    cursor_on = &t_ve
    &t_ve = ''
  endif
enddef

export def ShowCursor()
  if cursor_on !=# ''
    &t_ve = cursor_on
    echoraw(cursor_on)
    cursor_on = ''
  endif
enddef

augroup ViewModelPopups
  autocmd VimLeavePre * ShowCursor()
augroup END
