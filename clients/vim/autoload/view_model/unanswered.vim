vim9script
# What the user did and no answer has come to. Nobody leaves over it without being told: its answer is waited for, then
# the buffers count as modified, and what is left all the same is said.

import autoload 'view_model/events.vim'
import autoload 'view_model/json_text.vim'
import autoload 'view_model/view.vim' as views

const longest_wait = 1000 # ms

# What `:messages` has said of buffers that are gone. Who ends Vim soon after that hasn't read it.
var told: list<dict<any>> = []
const told_for = 10.0 # s

# The views that may have something of the kind; also those that have left the screen, until they are answered.
var noted: list<dict<any>> = []

# Notes a view that sends an event, or keeps one for the user. What the picker sends is nobody's loss.
export def Note(view: dict<any>)
  if empty(view.observer)
    filter(noted, (_, other) => other isnot view && !(empty(other.outbox.events) && empty(other.unsent)))
    add(noted, view)
  endif
enddef

# Each event that isn't answered, after its view.
def All(): list<list<any>>
  return noted->mapnew((_, view) => events.Unanswered(view)->mapnew((_, numbered) => [view, numbered]))
    ->flattennew(1)
enddef

# Whether an answer may come soon. That there is none for now is known, and shown, where a view is away; and of what is
# held it is known, too.
def MayBeAnswered(): bool
  return indexof(All(), (_, one) => !get(one[1], 'is_held', false) && !events.IsAway(one[0])) >= 0
enddef

# Waits for answers, a second at most.
export def Wait()
  var start = reltime()
  while MayBeAnswered() && reltimefloat(reltime(start)) * 1000 < longest_wait
    sleep 10m
  endwhile
enddef

# Has the views show what isn't answered, and count as modified for it, until it is.
export def Hold(Paint: func)
  var all = All()
  for [_, numbered] in all
    numbered.is_held = true
  endfor
  for [view, _] in all
    Paint(view)
  endfor
  if !empty(all)
    redraw # the refusal stands below it
  endif
enddef

# Says it of a root whose buffer is gone, where no answer comes within the time that leaving may take.
export def SayLater(root: dict<any>)
  if !empty(OfRoot(root))
    timer_start(longest_wait, (_) => SayNow(root))
  endif
enddef

def OfRoot(root: dict<any>): list<list<any>>
  return All()->filter((_, one) => views.Root(one[0]) is root)
enddef

def SayNow(root: dict<any>)
  echohl WarningMsg
  for [view, numbered] in OfRoot(root)
    var text = json_text.Event(numbered.event)
    echomsg $"view model: {events.Label(view)} was closed, and this isn't answered yet: {text}"
  endfor
  echohl None
enddef

def Line(label: string, event: dict<any>, was_sent: bool): string
  var what = was_sent ? "this wasn't answered, and may not have been done" : "this wasn't sent, and isn't done"
  return $'view model: {label}: {what}: {json_text.Event(event)}'
enddef

# Says that an event is gone with the buffer that would show it.
export def Tell(label: string, event: dict<any>, was_sent: bool)
  var what = was_sent ? 'answered' : 'sent'
  echohl WarningMsg
  echomsg $"view model: {label} was closed, and this wasn't {what}: {json_text.Event(event)}"
  echohl None
  filter(told, (_, one) => IsRecent(one))
  add(told, {text: Line(label, event, was_sent), at: reltime()})
enddef

def IsRecent(one: dict<any>): bool
  return reltimefloat(reltime(one.at)) < told_for
enddef

# What is to be said when Vim ends: all that isn't answered, and what was given back.
export def Lines(): list<string>
  var lines = All()->mapnew((_, one) => Line(events.Label(one[0]), one[1].event, one[1].was_sent))
  for view in noted
    lines += view.unsent->mapnew((_, one) => Line(one.label, one.event, one.was_sent))
  endfor
  return lines + told->copy()->filter((_, one) => IsRecent(one))->mapnew((_, one) => one.text)
enddef
