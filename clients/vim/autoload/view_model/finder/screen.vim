vim9script
# Paints the picker.

import autoload 'view_model/finder/lines.vim'
import autoload 'view_model/finder/popups.vim'
import autoload 'view_model/finder/preview.vim' as previews
import autoload 'view_model/finder/prompt.vim' as prompts
import autoload 'view_model/finder/search.vim' as searches
import autoload 'view_model/rows.vim' as row_lists
import autoload 'view_model/status.vim' as statuses

def Count(model: dict<any>): string
  var files: any = get(model.scanning, 'files', null)
  var count = get(model.matches, 'count', 0)
  if type(files) == v:t_none
    return ''
  endif
  var found = lines.Grouped(count)
  var rest = get(model.matches, 'isComplete', true) ? '' : '…'
  var scanning = get(model.scanning, 'isDone', true) ? '' : '   scanning…'
  if model.mode ==# 'files'
    return $'{found} of {lines.Grouped(files)} files{rest}{scanning}'
  elseif model.text ==# ''
    return $'{lines.Grouped(files)} files to search{scanning}'
  endif
  return (count == 1 ? '1 line' : $'{found} lines') .. rest .. scanning
enddef

# What is wrong, and a word beside the results.
def Notices(picker: dict<any>, width: number): list<dict<any>>
  var view = picker.search.view
  var model = searches.Model(picker.search)
  var is_other = view.state ==# 'live' && !searches.IsFinder(picker.search)
  var other = is_other ? "the server's finder is no finder of files" : ''
  var wrong = [statuses.Of(view), other, model.failure]->filter((_, text) => text !=# '')->join('; ')
  return lines.Wrapped(wrong, 'ViewModelStatus', width) + lines.Wrapped(model.note, 'ViewModelKeys', width)
enddef

def Modes(picker: dict<any>): list<list<string>>
  var parts = []
  for mode in searches.modes
    parts += [[' ', ''], [mode, mode ==# picker.search.mode ? 'ViewModelTitle' : 'ViewModelKeys']]
  endfor
  return parts
enddef

# Scrolls as far as it takes to show the selection.
def Scroll(results: dict<any>, height: number)
  var cursor: number = results.cursor.index
  var top = max([cursor - height + 1, min([cursor, results.top.index])])
  top = max([0, min([top, results.count - height])])
  if top != results.top.index
    row_lists.Place(results, results.top, top)
  endif
enddef

def Head(picker: dict<any>, width: number): list<dict<any>>
  return [
    lines.Prompt(prompts.Parts(picker.search.prompt), width),
    lines.Sides(Count(searches.Model(picker.search)), Modes(picker), width),
  ] + Notices(picker, width)
enddef

# The results from the first on screen on. Rows of something else than what is typed are dimmed.
def RowLines(picker: dict<any>, height: number, width: number): list<dict<any>>
  var results = searches.Results(picker.search)
  if !searches.IsFinder(picker.search)
    return []
  endif
  Scroll(results, height)
  var top: number = results.top.index
  row_lists.Show(results, top, height)
  var shown = range(top, min([top + height, results.count]) - 1)->mapnew((_, index) =>
    lines.Row(row_lists.Row(results, index), index == results.cursor.index, width))
  var is_stale = picker.search.view.state !=# 'live' || picker.is_late
  return is_stale ? shown->mapnew((_, line) => lines.Over(line, 'ViewModelStale', width)) : shown
enddef

def Title(picker: dict<any>): string
  var root = get(picker.search.view.arguments, 'root', '')
  return root ==# '' ? 'Find' : $'Find in {fnamemodify(root, ":~:.")}'
enddef

# Paints it, and the preview where there is room.
export def Paint(picker: dict<any>)
  var [frame, preview_frame] = popups.Frames()
  var head = Head(picker, frame.width)
  picker.head_height = len(head)
  picker.rows_height = max([1, frame.height - len(head)])
  var painted = {
    frame: frame,
    lines: head + RowLines(picker, picker.rows_height, frame.width),
    title: popups.Title(Title(picker), frame.width),
  }
  if painted != picker.painted
    picker.painted = painted
    popups.Paint(picker.popup, painted)
  endif
  if empty(preview_frame)
    previews.Close(picker.preview)
  else
    var has_row = searches.Results(picker.search).count > 0
    previews.Paint(picker.preview, has_row ? searches.Preview(picker.search) : {}, preview_frame)
  endif
enddef

