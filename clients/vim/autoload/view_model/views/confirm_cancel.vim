vim9script
# The question whether an order shall really be cancelled.

import autoload 'view_model/events.vim'

export def Type(): dict<any>
  return {
    New: () => ({question: ''}),
    Apply: Apply,
    Title: (view) => view.model.question,
    Lines: (_) => [],
    keys: [
      ['y', 'yes', (view, _) => events.Send(view, {kind: 'confirm'})],
      ['n', 'no', (view, _) => events.Send(view, {kind: 'keep'})],
    ],
  }
enddef

def Apply(model: dict<any>, event: dict<any>)
  if event.kind ==# 'question'
    model.question = event.value
  endif
enddef
