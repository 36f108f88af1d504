vim9script
# The command `:ViewModel [name [arguments]]`. Everything else is loaded when it is first used.

if exists('g:loaded_view_model') || !has('channel') || !has('popupwin')
  finish
endif
g:loaded_view_model = true

import autoload 'view_model.vim' as plugin

command -nargs=* -complete=customlist,plugin.Complete ViewModel plugin.Command(<q-args>)
