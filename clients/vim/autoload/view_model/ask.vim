vim9script
# Questions to the user.

# No text that is typed is like this.
const cancelled = "\<C-@>cancelled"

# A line of text, which may be empty; null where the user cancels. (Only inputdialog() tells these apart.)
export def Text(prompt: string, default: string = ''): any
  var text = inputdialog(prompt, default, cancelled)
  # The question would stay in the command line.
  redraw
  echo ''
  return text ==# cancelled ? null : text
enddef

# Whether a key is mapped is settled when Vim begins to wait for it. Where a popup, which takes keys unmapped, comes or
# goes meanwhile, Vim has to begin again.
export def WaitAgain()
  feedkeys("\<Ignore>", 'n')
enddef

# Calls Act with what is chosen.
export def Choice(title: string, choices: list<string>, Act: func)
  Place(title, choices, (place) => Act(choices[place]))
enddef

# Calls Act with the index of what is chosen.
export def Place(title: string, choices: list<string>, Act: func)
  popup_menu(choices, {title: $' {title} ', callback: (_, number) => {
    if number > 0
      # The popup is still there now, and takes what is typed.
      timer_start(0, (_) => Act(number - 1))
    endif
  }})
  WaitAgain()
enddef
