vim9script
# Notices that the other side doesn't answer: a server that was stopped, or a link whose other end is gone, says
# nothing. While something is unanswered, a question is sent every five seconds that any server answers at once: it
# doesn't answer where nothing at all is heard until the next. What the answer says is up to who asks.

const patience = 5.0 # seconds

const start = reltime()

def Now(): float
  return reltimefloat(reltime(start))
enddef

# `on` has IsWaiting(), whether something is unanswered; Ask(), which sends the question; Silent(), called when there is
# no answer; and Answers(), called when there is something again.
export def New(on: dict<func>): dict<any>
  return {on: on, heard_at: 0.0, since: 0.0, is_asked: false, is_silent: false, is_running: false, run: 0}
enddef

# Something is sent that will be answered. To be called before it counts as unanswered.
export def Begin(watch: dict<any>)
  if !watch.on.IsWaiting()
    extend(watch, {since: Now(), is_asked: false})
  endif
  if !watch.is_running
    watch.is_running = true
    LookIn(watch, patience)
  endif
enddef

# The connection is another one, or none.
export def Stop(watch: dict<any>)
  extend(watch, {is_running: false, is_asked: false, is_silent: false, run: watch.run + 1})
enddef

# A message came.
export def Heard(watch: dict<any>)
  watch.heard_at = Now()
  if watch.is_silent
    extend(watch, {is_asked: false, is_silent: false})
    watch.on.Answers()
  endif
enddef

def LookIn(watch: dict<any>, time: float)
  var run: number = watch.run
  timer_start(float2nr(ceil(time * 1000)), (_) => watch.run == run ? Look(watch) : 0)
enddef

def Look(watch: dict<any>): number
  if !watch.on.IsWaiting()
    Stop(watch)
    return 0
  endif
  var left = patience - (Now() - watch.since) # since the last question, or since something is unanswered
  if left > 0
    LookIn(watch, left)
    return 0
  endif
  if !watch.is_asked || watch.heard_at > watch.since
    extend(watch, {is_asked: true, since: Now()})
    watch.on.Ask()
  elseif !watch.is_silent
    watch.is_silent = true
    watch.on.Silent()
    if !watch.is_silent
      return 0 # the connection was given up
    endif
  endif
  LookIn(watch, patience)
  return 0
enddef
