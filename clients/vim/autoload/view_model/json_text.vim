vim9script
# JSON values as text for people.

const short_enough = 60 # characters that stay on one line
const longest_line = 200 # characters of what is shown on one line only
const most_lines = 500

# JSON with its members in order of their names, so that it looks the same each time.
def Encoded(value: any): string
  if type(value) == v:t_list
    return '[' .. value->mapnew((_, element) => Encoded(element))->join(', ') .. ']'
  elseif type(value) == v:t_dict
    var members = keys(value)->sort()->mapnew((_, key) => json_encode(key) .. ': ' .. Encoded(value[key]))
    return '{' .. join(members, ', ') .. '}'
  endif
  return json_encode(value)
enddef

# A value on one line, whole.
export def Whole(value: any): string
  return Encoded(value)
enddef

# The value of an event, or its members other than the kind, in a list; an empty list where there is nothing.
export def Content(event: dict<any>): list<any>
  var members = copy(event)->filter((name, _) => name !=# 'kind')
  if empty(members)
    return []
  endif
  return keys(members) == ['value'] ? [members.value] : [members]
enddef

# An event on one line, whole.
export def Event(event: dict<any>): string
  var content = Content(event)
  return empty(content) ? $'{event.kind}' : $'{event.kind}  {Encoded(content[0])}'
enddef

# A value on one line; a long one is cut.
export def Line(value: any): string
  var text = Encoded(value)
  return strchars(text) <= longest_line ? text : strcharpart(text, 0, longest_line) .. '…'
enddef

# The lines of a value with a `label`: on the label's line, or below it and indented.
def Labelled(label: string, inner: list<string>, is_below: bool): list<string>
  if is_below
    return [label] + inner->mapnew((_, line) => '  ' .. line)
  endif
  return [label .. inner[0]] + inner[1 :]->mapnew((_, line) => '  ' .. line)
enddef

# A value on as many lines as it takes, up to `room`.
def Block(value: any, room: number): list<string>
  var text = Line(value)
  var is_list = type(value) == v:t_list
  if strchars(text) <= short_enough || !(is_list || type(value) == v:t_dict)
    return [text]
  endif
  var lines: list<string> = []
  for part in is_list ? value : keys(value)->sort()
    if len(lines) >= room
      break
    endif
    var inner = Block(is_list ? part : value[part], room - len(lines))
    var is_below = !is_list && len(inner) > 1
    lines += Labelled(is_list ? '- ' : part .. (is_below ? ':' : ': '), inner, is_below)
  endfor
  return lines
enddef

# A value on as many lines as it takes; what is very long is cut.
export def Lines(value: any): list<string>
  var lines = Block(value, most_lines)
  return len(lines) < most_lines ? lines : lines + ['…']
enddef
