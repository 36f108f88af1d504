if !has('vim9script') || v:version < 900
  finish
endif
vim9script
# The command `:ViewModel [name [arguments]]`. Everything else is loaded when it is first used.

if exists('g:loaded_view_model') || !has('channel') || !has('job') || !has('popupwin') || !has('textprop')
  finish
endif
g:loaded_view_model = true

import autoload 'view_model.vim' as plugin

command -nargs=* -complete=customlist,plugin.Complete ViewModel plugin.Command(<q-args>)
