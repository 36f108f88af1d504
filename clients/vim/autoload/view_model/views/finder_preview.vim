vim9script
# The file that a finder shows beside its results. It isn't in a buffer: see finder/preview.vim.

export def Type(): dict<any>
  return {
    New: () => ({path: '', line: 0, note: ''}),
    Apply: Apply,
    Title: (view) => view.model.path,
    Lines: (_) => [],
    keys: [],
  }
enddef

def Apply(model: dict<any>, event: dict<any>)
  if event.kind ==# 'file'
    extend(model, {path: event.path, line: get(event, 'line', null) ?? 0})
  elseif event.kind ==# 'note'
    model.note = get(event, 'message', null) ?? ''
  endif
enddef
