vim9script
# Opens in Vim what was chosen in the picker.

# A file URI has all bytes of a path that isn't UTF-8.
def PathOf(accepted: dict<any>): string
  if stridx(accepted.path, "\uFFFD") < 0
    return accepted.path
  endif
  var encoded = substitute(accepted.uri, '^file://[^/]*', '', '')
  return substitute(encoded, '%\(\x\x\)', (found) => eval($'"\x{found[1]}"'), 'g')
enddef

# A file that is left must be saved, unless it may be hidden: then the other is opened beside it.
def OpenFile(path: string, command: string)
  var name = fnameescape(fnamemodify(path, ':.'))
  if command ==# 'edit' && fnamemodify(bufname(), ':p') ==# path
    normal! m'
    return
  endif
  try
    execute command name
  catch /:E37:\|:E948:/
    execute 'split' name
  endtry
enddef

# The column of the first match in the line under the cursor; `row.text` may be a part of that line.
def Column(row: dict<any>): number
  var place = stridx(getline('.'), get(row, 'text', ''))
  return place < 0 || empty(get(row, 'matches', [])) ? 1 : place + row.matches[0].start + 1
enddef

# Opens what the view model's event `accepted` names, which was the row `row`, with an Ex command that takes a file.
export def Open(accepted: dict<any>, row: dict<any>, command: string)
  try
    OpenFile(PathOf(accepted), command)
    if type(get(accepted, 'line', null)) == v:t_number
      cursor(accepted.line, 1)
      cursor(0, Column(row))
      normal! zvzz
    endif
  catch
    echohl ErrorMsg
    echomsg 'view model: ' .. substitute(v:exception, '^Vim\%((\a\+)\)\?:', '', '')
    echohl None
  endtry
enddef
