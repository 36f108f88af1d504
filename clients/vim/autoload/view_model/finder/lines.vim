vim9script
# The lines of the picker: text with its highlights, as popup_settext() takes them.

# A line of parts, each a text and the type of its highlight, which may be none.
export def Line(parts: list<list<string>>): dict<any>
  var text = ''
  var props = []
  for [part, type] in parts
    if type !=# '' && part !=# ''
      add(props, {col: len(text) + 1, length: len(part), type: type})
    endif
    text ..= part
  endfor
  return {text: text, props: props}
enddef

# A highlight over all of a line, which is as wide as the popup then.
export def Over(line: dict<any>, type: string, width: number): dict<any>
  var text = line.text .. repeat(' ', width - strdisplaywidth(line.text))
  return {text: text, props: [{col: 1, length: len(text), type: type}] + line.props}
enddef

# The tabs of a text as blanks.
export def Printable(text: string): string
  var parts = split(text, '\t', true)
  var shown = remove(parts, 0)
  for part in parts
    shown ..= repeat(' ', 8 - strdisplaywidth(shown) % 8) .. part
  endfor
  return shown
enddef

# Blanks in the place of what isn't shown in one line; bytes stay where they are.
def OneLine(text: string): string
  return tr(text, "\n\r\t", '   ')
enddef

# How many bytes of a text to leave out at its beginning, so that the rest fits into so many cells.
def Overflow(text: string, width: number): number
  var rest = strdisplaywidth(text)
  var bytes = 0
  for char in split(text, '\zs')
    if rest <= width
      break
    endif
    rest -= strdisplaywidth(char)
    bytes += len(char)
  endfor
  return bytes
enddef

# The end of a text, as far as it fits.
export def Tail(text: string, width: number): string
  var line = OneLine(text)
  return strdisplaywidth(line) <= width ? line : '…' .. strpart(line, Overflow(line, width - 1))
enddef

# A text without so many bytes at its beginning, with its matches highlighted.
def Matching(text: string, matches: list<any>, without: number, width: number): list<list<string>>
  var lead = without > 0 ? '…' : ''
  var end = without + len(printf('%.*S', max([0, width - strdisplaywidth(lead)]), strpart(text, without)))
  var parts = [[lead, '']]
  var place = without
  # Other encodings have their own bytes.
  for match in &encoding ==# 'utf-8' ? matches : []
    var first = max([place, min([match.start, end])])
    var last = max([first, min([match.end, end])])
    parts += [[strpart(text, place, first - place), ''], [strpart(text, first, last - first), 'ViewModelMatch']]
    place = last
  endfor
  return add(parts, [strpart(text, place, end - place), ''])
enddef

# A path that is too long loses its beginning: the file's name says most.
def PathParts(row: dict<any>, width: number): list<list<string>>
  var path = OneLine(row.path)
  var without = strdisplaywidth(path) <= width ? 0 : Overflow(path, width - 1)
  return Matching(path, get(row, 'matches', []), without, width)
enddef

# How many bytes of a line to leave out, so that its first match is shown.
def LineStart(text: string, matches: list<any>, width: number): number
  var indent = len(matchstr(text, '^ *'))
  if empty(matches) || strdisplaywidth(strpart(text, indent, matches[0].end - indent)) < width
    return indent
  endif
  var before = strpart(text, indent, matches[0].start - indent)
  return indent + Overflow(before, width / 3)
enddef

def TextParts(row: dict<any>, width: number): list<list<string>>
  var head = Tail(row.path, width / 2)
  var number = $':{row.line}: '
  var room = max([1, width - strdisplaywidth(head .. number)])
  var text = OneLine(row.text)
  var matches = get(row, 'matches', [])
  var start = LineStart(text, matches, room)
  # The indentation isn't missed.
  var parts = strpart(text, 0, start) =~# '[^ ]' ? Matching(text, matches, start, room) :
    Matching(strpart(text, start), Moved(matches, start), 0, room)
  return [[head, 'ViewModelLabel'], [number, 'ViewModelKeys']] + parts
enddef

def Moved(matches: list<any>, by: number): list<any>
  return matches->mapnew((_, match) => ({start: max([0, match.start - by]), end: max([0, match.end - by])}))
enddef

# The line of a result; `row` is null where it isn't here yet.
export def Row(row: any, is_selected: bool, width: number): dict<any>
  var mark = is_selected ? '> ' : '  '
  if type(row) != v:t_dict
    return Line([[mark, 'ViewModelMark'], ['…', 'ViewModelKeys']])
  endif
  var room = max([1, width - len(mark)])
  var line = Line([[mark, 'ViewModelMark']] + (has_key(row, 'text') ? TextParts(row, room) : PathParts(row, room)))
  return is_selected ? Over(line, 'ViewModelSelection', width) : line
enddef

# The line of what is typed. Of a long text the part around the cursor is shown.
export def Prompt(parts: list<string>, width: number): dict<any>
  var [before, under, after] = parts
  var start = Overflow(before, width - 4)
  return Line([['> ', 'ViewModelMark'], [strpart(before, start), ''], [under ==# '' ? ' ' : under, 'ViewModelCursor'],
    [after, '']])
enddef

# A line with a text at its left, which is cut where it is too long, and parts at its right.
export def Sides(left: string, right: list<list<string>>, width: number): dict<any>
  var room = max([0, width - 1 - Line(right).text->strdisplaywidth()])
  var shown = printf('%.*S', room, left)
  return Line([[shown, 'ViewModelKeys'], [repeat(' ', room + 1 - strdisplaywidth(shown)), '']] + right)
enddef

# A text in as many lines as it takes.
export def Wrapped(text: string, type: string, width: number): list<dict<any>>
  var shown = []
  for word in split(OneLine(text))
    if !empty(shown) && strdisplaywidth($'{shown[-1]} {word}') <= width
      shown[-1] ..= ' ' .. word
    else
      add(shown, word)
    endif
  endfor
  return shown->mapnew((_, line) => Line([[printf('%.*S', width, line), type]]))
enddef

# A number as people read it.
export def Grouped(number: number): string
  return substitute(string(number), '\d\zs\ze\%(\d\d\d\)\+$', ',', 'g')
enddef
