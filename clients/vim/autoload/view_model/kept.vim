vim9script
# The sessions that the user may come back to, as a picker offers them.

import autoload 'view_model/client.vim' as clients

const units = [[86400, 'day'], [3600, 'hour'], [60, 'minute']]

# How long ago a time of RFC 3339 in UTC is, in words.
def Ago(time: string): string
  var parts = matchlist(time, '^\(\d\+\)-\(\d\+\)-\(\d\+\)T\(\d\+\):\(\d\+\):\(\d\+\)')
  if empty(parts)
    return time
  endif
  var [year, month, day, hour, minute, second] = parts[1 : 6]->mapnew((_, part) => str2nr(part))
  # Days from a year that begins in March, of the proleptic Gregorian calendar.
  var [from, march] = month > 2 ? [year, month - 3] : [year - 1, month + 9]
  var days = 365 * from + from / 4 - from / 100 + from / 400 + (153 * march + 2) / 5 + day - 719469
  var passed = localtime() - (((days * 24 + hour) * 60 + minute) * 60 + second)
  for [length, unit] in units
    if passed >= length
      return $'{passed / length} {unit}{passed / length == 1 ? "" : "s"} ago'
    endif
  endfor
  return 'just now'
enddef

# The line of a session. Titles and arguments come from elsewhere.
export def Line(session: dict<any>): string
  var about = get(session, 'title', has_key(session, 'arguments') ? json_encode(session.arguments) : '')
  var parts = [session.viewModel .. (about ==# '' ? '' : $': {about}'), Ago(session.lastUsed)]
  var views = get(session, 'views', 0)
  if views > 0
    add(parts, views == 1 ? '1 view' : $'{views} views')
  endif
  return substitute(join(parts, '  '), '[[:cntrl:]]', '?', 'g')
enddef

# Calls Done with the sessions, those used last first; with none where the server can't tell.
export def Ask(client: dict<any>, Done: func)
  clients.Request(client, 'session/list', {kept: true}, (error, result) => {
    # An older server answers with the sessions that are open here.
    var sessions: list<any> = type(error) == v:t_none ? result.sessions : []
    Done(sessions->copy()->filter((_, session) => has_key(session, 'lastUsed')))
  })
enddef
