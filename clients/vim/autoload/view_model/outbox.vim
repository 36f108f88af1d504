vim9script
# The events of a view that its view model hasn't answered: numbered, so that each can be sent again and is taken once.

var seed = srand()

# 128 bits at random, as text.
export def RandomName(): string
  if filereadable('/dev/urandom')
    return readblob('/dev/urandom', 0, 16)->blob2list()->mapnew((_, byte) => printf('%02x', byte))->join('')
  endif
  return range(4)->mapnew((_, _) => printf('%08x', rand(seed)))->join('')
enddef

# `client_name` is what the server knows its events by, over all connections.
export def New(client_name: string): dict<any>
  return {client_name: client_name, number: 0, events: []}
enddef

# Adds an event and returns it with its number. While a request carries it, `request` and `session` say which and to
# where; `was_sent` is whether one ever did.
export def Add(outbox: dict<any>, event: dict<any>): dict<any>
  outbox.number += 1
  var numbered = {event: event, number: outbox.number, was_sent: false, was_taken: false, request: 0, session: 0}
  add(outbox.events, numbered)
  return numbered
enddef

export def Remove(outbox: dict<any>, numbered: dict<any>)
  filter(outbox.events, (_, other) => other isnot numbered)
enddef

# What the server has taken, which is up to the number `handled`, keeps its number: sent again, it is answered, and not
# done again. The rest is numbered from there. What was never sent wasn't taken: another view of this name may have
# used its number.
export def NumberFrom(outbox: dict<any>, handled: number)
  outbox.number = handled
  for numbered in outbox.events
    numbered.was_taken = numbered.was_sent && numbered.number <= handled
    if !numbered.was_taken
      outbox.number += 1
      numbered.number = outbox.number
    endif
  endfor
enddef

# The server didn't take an event for want of room, so that its number is free. Returns false where others have come
# after it, which have to be numbered anew.
export def TakeBackNumber(outbox: dict<any>, numbered: dict<any>): bool
  Remove(outbox, numbered)
  if numbered.number != outbox.number
    return false
  endif
  outbox.number -= 1
  return true
enddef

# Answers to the requests on their way don't count any more.
export def ForgetRequests(outbox: dict<any>)
  for numbered in outbox.events
    numbered.request = 0
    numbered.session = 0
  endfor
enddef

# Takes out the events that were sent, and not answered.
export def TakeSent(outbox: dict<any>): list<dict<any>>
  var sent = copy(outbox.events)->filter((_, numbered) => numbered.was_sent)
  filter(outbox.events, (_, numbered) => !numbered.was_sent)
  return sent
enddef

# Whether there are events that no request carries.
export def HasIdle(outbox: dict<any>): bool
  return indexof(outbox.events, (_, numbered) => numbered.session == 0) >= 0
enddef

# Takes out the events that no request carries.
export def TakeIdle(outbox: dict<any>): list<dict<any>>
  var idle = copy(outbox.events)->filter((_, numbered) => numbered.session == 0)
  filter(outbox.events, (_, numbered) => numbered.session != 0)
  return idle
enddef
