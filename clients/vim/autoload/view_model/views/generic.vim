vim9script
# Any view model: the newest event of each kind, the last events, and every view event to send.

import autoload 'view_model/events.vim'
import autoload 'view_model/forms.vim'
import autoload 'view_model/json_text.vim'

const kept_events = 10

export def Type(): dict<any>
  return {
    New: () => ({kinds: [], newest: {}, last: []}),
    Apply: Apply,
    Title: (view) => view.name,
    Lines: Lines,
    wants_description: true, # so that one can be asked for an event while there is no connection
    keys: [
      ['s', 'send an event', (view, _) => Send(view)],
      ['<CR>', 'the same', (view, _) => Send(view)],
    ],
  }
enddef

def Send(view: dict<any>)
  forms.AskEvent(view, (event) => events.SendTyped(view, event))
enddef

def Apply(model: dict<any>, event: dict<any>)
  if !has_key(model.newest, event.kind)
    add(model.kinds, event.kind)
  endif
  model.newest[event.kind] = event
  model.last = [event] + model.last[: kept_events - 2]
enddef

def NewestLines(event: dict<any>): list<any>
  var content = json_text.Content(event)
  var text = empty(content) ? [] : json_text.Lines(content[0])
  if len(text) <= 1
    return [[[event.kind, 'ViewModelLabel'], [empty(text) ? '' : '  ' .. text[0]]]]
  endif
  return [[[event.kind, 'ViewModelLabel']]] + text->mapnew((_, line) => '  ' .. line)
enddef

def LastLine(event: dict<any>): list<any>
  var content = json_text.Content(event)
  return [[event.kind, 'ViewModelLabel'], [empty(content) ? '' : '  ' .. json_text.Line(content[0])]]
enddef

def Lines(view: dict<any>): list<any>
  var model = view.model
  if empty(model.last)
    return ['No events yet.']
  endif
  var lines = []
  for kind in model.kinds
    lines += NewestLines(model.newest[kind])
  endfor
  lines += ['', [['Last events', 'ViewModelTitle']]]
  return lines + model.last->mapnew((_, event) => LastLine(event))
enddef
