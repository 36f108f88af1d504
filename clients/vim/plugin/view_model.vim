if !has('vim9script') || v:version < 900
  finish
endif
vim9script
# The commands: `:ViewModel [name [arguments]]`, `:ViewModelFind [root]` and `:ViewModelGrep [root]`, and for sessions
# `:ViewModelAttach key`, `:ViewModelKey` and `:ViewModelEnd`. Everything else is loaded when it is first used.

if exists('g:loaded_view_model') || !has('channel') || !has('job') || !has('popupwin') || !has('textprop')
  finish
endif
g:loaded_view_model = true

import autoload 'view_model.vim' as plugin

command -nargs=* -complete=customlist,plugin.Complete ViewModel plugin.Command(<q-args>)
command -nargs=1 -complete=customlist,plugin.CompleteKey ViewModelAttach plugin.Attach(<q-args>)
command -nargs=? -complete=customlist,plugin.CompleteAccess ViewModelKey plugin.Key(<q-args>)
command ViewModelEnd plugin.EndSession()
command -nargs=? -complete=dir ViewModelFind plugin.Find(<q-args>, 'files')
command -nargs=? -complete=dir ViewModelGrep plugin.Find(<q-args>, 'text')
