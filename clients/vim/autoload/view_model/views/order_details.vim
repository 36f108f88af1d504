vim9script
# One order, with a note to write.

import autoload 'view_model/ask.vim'
import autoload 'view_model/events.vim'

export def Type(): dict<any>
  return {
    New: () => ({title: 'Details', is_cancelled: false, note: '', is_saved: true}),
    Apply: Apply,
    Title: (view) => view.model.title,
    Lines: Lines,
    keys: [
      ['c', 'cancel the order', (view, _) => events.Send(view, {kind: 'cancelOrder'})],
      ['e', 'edit the note', (view, _) => Edit(view)],
      ['s', 'save it', (view, _) => events.Send(view, {kind: 'saveNote'})],
    ],
  }
enddef

def Apply(model: dict<any>, event: dict<any>)
  if event.kind ==# 'title'
    model.title = event.value
  elseif event.kind ==# 'cancelled'
    model.is_cancelled = event.value
  elseif event.kind ==# 'note'
    model.note = event.value
    model.is_saved = event.isSaved
  endif
enddef

def Edit(view: dict<any>)
  var text = ask.Text('Note: ', get(events.OldestUnsent(view, 'editNote'), 'value', view.model.note))
  if type(text) != v:t_none
    events.SendTyped(view, {kind: 'editNote', value: text})
  endif
enddef

def Lines(view: dict<any>): list<any>
  var model = view.model
  return [
    [['Cancelled: ', 'ViewModelLabel'], model.is_cancelled ? ['yes', 'ViewModelMark'] : ['no']],
    [['Note:      ', 'ViewModelLabel'], [model.note], [model.is_saved ? '' : '  (not saved)', 'ViewModelMark']],
  ]
enddef
