vim9script
# The command that shows a session again which is off the screen.

import autoload 'view_model/json_text.vim'

# The command for a root. Where its view model has a scope, an open finds the session, and nobody has to keep a key; but
# with which arguments another client has opened it isn't known here.
export def Of(root: dict<any>): string
  if root.asked ==# '' || !has_key(root.client.scopes, root.name)
    return $':ViewModelAttach {root.key}'
  endif
  return $':ViewModel {root.name}' .. (empty(root.arguments) ? '' : ' ' .. json_text.Whole(root.arguments))
enddef
