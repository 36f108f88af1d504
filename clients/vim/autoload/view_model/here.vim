vim9script
# Who else has a view of a session, in words.

const most = 5 # names

# Names come from other clients.
def Cleaned(text: string): string
  return substitute(text, '[[:cntrl:]]', '?', 'g')
enddef

def NameOf(one: dict<any>): string
  var program = Cleaned(get(one, 'program', ''))
  var name = Cleaned(get(one, 'principal', ''))
  if name ==# ''
    name = program ==# '' ? 'somebody' : program
  elseif program !=# ''
    name ..= $' ({program})'
  endif
  return get(one, 'access', '') ==# 'read' ? $'{name}, looking' : name
enddef

# What `session/views` has said of a view's session; empty where nobody else is here.
export def Of(told: dict<any>): string
  var names: list<string> = []
  for one in told.views
    if !one.you && index(names, NameOf(one)) < 0
      add(names, NameOf(one))
    endif
  endfor
  if empty(names)
    return ''
  endif
  var rest = len(names) - most + max([0, get(told, 'count', 0) - len(told.views)])
  return 'here: ' .. join(names[: most - 1], ', ') .. (rest > 0 ? $' and {rest} more' : '')
enddef
