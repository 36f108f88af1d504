vim9script
# What a finder says of its search. It isn't in a buffer: see finder.vim.

export def Type(): dict<any>
  return {
    New: New,
    Apply: Apply,
    Title: (view) => view.name,
    Lines: (_) => [],
    keys: [],
    is_picker: true,
  }
enddef

# `is_old` is whether the results may be those of the query before; `accepted` is what was chosen, until that is taken.
def New(): dict<any>
  return {text: '', mode: 'files', is_old: false, scanning: {}, matches: {}, failure: '', note: '', accepted: {}}
enddef

def Apply(model: dict<any>, event: dict<any>)
  if event.kind ==# 'query'
    extend(model, {text: event.text, mode: event.mode, is_old: true})
  elseif event.kind ==# 'results'
    model.is_old = false
  elseif event.kind ==# 'scanning' || event.kind ==# 'matches' || event.kind ==# 'accepted'
    model[event.kind] = event
  elseif event.kind ==# 'failed'
    model.failure = get(event, 'message', null) ?? ''
  elseif event.kind ==# 'note'
    model.note = get(event, 'message', null) ?? ''
  endif
enddef
