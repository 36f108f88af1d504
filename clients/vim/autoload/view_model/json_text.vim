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

# A value on one line; a long one is cut.
export def Line(value: any): string
  var text = Encoded(value)
  return strchars(text) <= longest_line ? text : strcharpart(text, 0, longest_line) .. '…'
enddef

def Add(lines: list<string>, indent: string, label: string, value: any)
  if len(lines) >= most_lines
    return
  endif
  var text = Line(value)
  var is_structure = type(value) == v:t_list || type(value) == v:t_dict
  if !is_structure || strchars(text) <= short_enough
    add(lines, indent .. label .. text)
    return
  endif
  if label !=# ''
    add(lines, indent .. label)
  endif
  var inner = label ==# '' ? indent : indent .. '  '
  if type(value) == v:t_list
    for element in value
      Add(lines, inner, '- ', element)
    endfor
  else
    for key in keys(value)->sort()
      Add(lines, inner, key .. ': ', value[key])
    endfor
  endif
enddef

# A value on as many lines as it takes; what is very long is cut.
export def Lines(value: any): list<string>
  var lines: list<string> = []
  Add(lines, '', '', value)
  return len(lines) < most_lines ? lines : lines + ['…']
enddef
