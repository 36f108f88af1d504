vim9script
# The highlight groups, and text properties of the same names.

const groups = {
  ViewModelTitle: 'Title', ViewModelKeys: 'Comment', ViewModelStatus: 'WarningMsg',
  ViewModelHere: 'Comment',
  ViewModelLabel: 'Identifier', ViewModelMark: 'Special', ViewModelCancelled: 'Comment',
  ViewModelPicker: 'Normal', ViewModelPickerBorder: 'Comment', ViewModelMatch: 'Special',
  ViewModelSelection: 'Visual', ViewModelCursor: '', ViewModelStale: '',
}

# Those that are over the other highlights, and under them.
const options = {
  ViewModelStale: {priority: 1, combine: false},
  ViewModelSelection: {priority: -1},
}

# Defines those that aren't, at first and where a colour scheme has cleared them.
export def Define()
  highlight default ViewModelStale ctermfg=DarkGray guifg=#808080
  highlight default ViewModelCursor term=reverse cterm=reverse gui=reverse
  for [name, standard] in items(groups)
    if standard !=# ''
      execute $'highlight default link {name} {standard}'
    endif
    if empty(prop_type_get(name))
      prop_type_add(name, extend({highlight: name}, get(options, name, {})))
    endif
  endfor
enddef

augroup ViewModelColours
  autocmd ColorScheme * Define()
augroup END
