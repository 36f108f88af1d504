vim9script
# A line of text that is typed in a popup, where Vim has no command line: with that one's keys.

# `cursor` is how many characters are before it.
export def New(): dict<any>
  return {text: '', cursor: 0, awaits_register: false, is_pasting: false}
enddef

export def Set(prompt: dict<any>, text: string)
  extend(prompt, {text: text, cursor: strcharlen(text), awaits_register: false})
enddef

# The text before the cursor, the character under it, and the text after that.
export def Parts(prompt: dict<any>): list<string>
  return [slice(prompt.text, 0, prompt.cursor), slice(prompt.text, prompt.cursor, prompt.cursor + 1),
    slice(prompt.text, prompt.cursor + 1)]
enddef

def Insert(prompt: dict<any>, text: string)
  prompt.text = slice(prompt.text, 0, prompt.cursor) .. text .. slice(prompt.text, prompt.cursor)
  prompt.cursor += strcharlen(text)
enddef

# Removes what is between the cursor and another place.
def Remove(prompt: dict<any>, to: number)
  var [first, end] = sort([prompt.cursor, max([0, to])], 'n')
  prompt.text = slice(prompt.text, 0, first) .. slice(prompt.text, end)
  prompt.cursor = first
enddef

# Where the word before the cursor begins.
def WordStart(prompt: dict<any>): number
  var before = slice(prompt.text, 0, prompt.cursor)
  return strcharlen(substitute(before, '\%(\k\+\|[^[:keyword:][:space:]]\+\)\?\s*$', '', ''))
enddef

def MoveTo(prompt: dict<any>, cursor: number)
  prompt.cursor = max([0, min([cursor, strcharlen(prompt.text)])])
enddef

# What a register has, or what CTRL-R inserts in the command line: the word or the file under the cursor.
def Named(key: string): string
  var text = key ==# "\<C-w>" ? expand('<cword>') : key ==# "\<C-a>" ? expand('<cWORD>') :
    key ==# "\<C-f>" ? expand('<cfile>') : key =~# '^[[:alnum:]"*+.:/%#-]$' ? getreg(key) : ''
  return matchstr(text, '^[^\n\r]*')
enddef

const edits: dict<func> = {
  "\<BS>": (prompt) => Remove(prompt, prompt.cursor - 1),
  "\<C-h>": (prompt) => Remove(prompt, prompt.cursor - 1),
  "\<Del>": (prompt) => Remove(prompt, min([prompt.cursor + 1, strcharlen(prompt.text)])),
  "\<C-w>": (prompt) => Remove(prompt, WordStart(prompt)),
  "\<C-u>": (prompt) => Remove(prompt, 0),
  "\<Left>": (prompt) => MoveTo(prompt, prompt.cursor - 1),
  "\<Right>": (prompt) => MoveTo(prompt, prompt.cursor + 1),
  "\<Home>": (prompt) => MoveTo(prompt, 0),
  "\<End>": (prompt) => MoveTo(prompt, strcharlen(prompt.text)),
  "\<C-e>": (prompt) => MoveTo(prompt, strcharlen(prompt.text)),
}

# Whether a key is a character, and not one of those that have names.
def IsText(key: string): bool
  return strpart(key, 0, 1) !=# "\x80" && char2nr(key) >= 32 && key !=# "\x7f"
enddef

# Whether the next key is the prompt's, whatever it is.
export def WantsAny(prompt: dict<any>): bool
  return prompt.awaits_register || prompt.is_pasting
enddef

# Takes a key; one that means nothing here changes nothing.
export def Take(prompt: dict<any>, key: string)
  if key ==# "\<PasteStart>" || key ==# "\<PasteEnd>"
    prompt.is_pasting = key ==# "\<PasteStart>"
  elseif prompt.is_pasting
    # The end of a line chooses nothing here.
    Insert(prompt, IsText(key) ? key : ' ')
  elseif prompt.awaits_register
    prompt.awaits_register = false
    Insert(prompt, Named(key))
  elseif key ==# "\<C-r>"
    prompt.awaits_register = true
  elseif has_key(edits, key)
    edits[key](prompt)
  elseif IsText(key)
    Insert(prompt, key)
  endif
enddef
