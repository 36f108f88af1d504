vim9script
# The popup with the file of the picker's selected row: its lines around the one that was found.

import autoload 'view_model/finder/lines.vim'
import autoload 'view_model/finder/popups.vim'
import autoload 'view_model/lists.vim' as view_lists
import autoload 'view_model/rows.vim' as row_lists

export def New(): dict<any>
  return {popup: 0, top: 0, height: 1, is_scrolled: false, place: [], painted: {}, highlighted: ''}
enddef

export def Close(preview: dict<any>)
  popups.Close(preview.popup)
  extend(preview, New())
enddef

# Scrolls by so many halves of its height.
export def Scroll(preview: dict<any>, halves: number)
  preview.is_scrolled = true
  preview.top += halves * max([1, preview.height / 2])
enddef

# The first row to show, from 0.
def TakeTop(preview: dict<any>, model: dict<any>, count: number)
  if preview.place != [model.path, model.line]
    preview.place = [model.path, model.line]
    preview.is_scrolled = false
  endif
  var top = preview.is_scrolled ? preview.top : model.line - 1 - preview.height / 2
  preview.top = max([0, min([top, count - preview.height])])
enddef

# The number is beside the text, so that the text's syntax is highlighted as in its file.
def Line(rows: dict<any>, index: number, found: number, width: number): dict<any>
  var number = printf('%*d  ', len(string(rows.count)), index + 1)
  var row = row_lists.Row(rows, index)
  var text = type(row) == v:t_dict ? lines.Printable(row.text) : '…'
  var room = max([1, width - len(number)])
  var line = lines.Line([[printf('%.*S', room, text), '']])
  if index + 1 == found
    line = lines.Over(line, 'ViewModelSelection', room)
  endif
  return {text: line.text, props: [{col: 1, text: number, type: 'ViewModelKeys'}] + line.props}
enddef

def Lines(preview: dict<any>, view: dict<any>, width: number): list<dict<any>>
  var model = view.model
  if model.note !=# ''
    return [lines.Line([[printf('%.*S', width, model.note), 'ViewModelStatus']])]
  endif
  var rows = view_lists.Named(view, 'lines')
  TakeTop(preview, model, rows.count)
  row_lists.Show(rows, preview.top, preview.height)
  return range(preview.top, min([preview.top + preview.height, rows.count]) - 1)
    ->mapnew((_, index) => Line(rows, index, model.line, width))
enddef

# Shows the lines of the view `view`, which is empty where there is no file to show, where `frame` says.
export def Paint(preview: dict<any>, view: dict<any>, frame: dict<any>)
  if preview.popup == 0
    preview.popup = popups.Open({zindex: 90})
  endif
  preview.height = frame.height
  var is_file = !empty(view) && get(view.model, 'path', '') !=# ''
  var content = is_file ? Lines(preview, view, frame.width) : []
  var name = !is_file ? '' : view.model.line > 0 ? $'{view.model.path}:{view.model.line}' : view.model.path
  var painted = {frame: frame, lines: content, title: popups.Title(name, frame.width)}
  if painted != preview.painted
    preview.painted = painted
    popups.Paint(preview.popup, painted)
  endif
  if is_file && view.model.path !=# preview.highlighted
    preview.highlighted = view.model.path
    popups.HighlightAs(preview.popup, view.model.path)
  endif
enddef
