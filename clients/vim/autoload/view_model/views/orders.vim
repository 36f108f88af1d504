vim9script
# The list of orders.

import autoload 'view_model/events.vim'
import autoload 'view_model/lists.vim'
import autoload 'view_model/rows.vim' as row_lists
import autoload 'view_model/view.vim' as views
import autoload 'view_model/views/list.vim' as list_views

export def Type(): dict<any>
  return {
    New: () => ({is_loading: false, cancelled: {}, failure: ''}),
    Apply: Apply,
    Title: Title,
    Lines: list_views.Lines,
    Painted: list_views.Painted,
    Opened: Load,
    list: 'orders',
    RowLine: RowLine,
    keys: [
      ['<CR>', 'details', (view, _) => Select(view)],
      ['r', 'reload', (view, _) => Load(view)],
      ['x', 'stop loading', (view, _) => events.Cancel(view)],
    ] + list_views.motions,
  }
enddef

def Apply(model: dict<any>, event: dict<any>)
  if event.kind ==# 'loading'
    model.is_loading = event.value
    model.failure = event.value ? '' : model.failure
  elseif event.kind ==# 'failed'
    model.failure = event.message
  elseif event.kind ==# 'cancelled'
    model.cancelled[event.id] = true
  endif
enddef

def Load(view: dict<any>)
  events.Send(view, {kind: 'loadOrders'})
enddef

def Select(view: dict<any>)
  if lists.Named(view, 'orders').count == 0
    return
  endif
  var index = list_views.Current(view)
  if index < 0
    views.Say(view, "the order isn't here yet")
  else
    events.Send(view, {kind: 'selectOrder', index: index})
  endif
enddef

def Title(view: dict<any>): string
  if view.model.is_loading
    return 'Orders: loading…'
  elseif view.model.failure !=# ''
    return 'Orders: ' .. view.model.failure
  endif
  return 'Orders: ' .. lists.Named(view, 'orders').count
enddef

def RowLine(view: dict<any>, index: number, width: number): list<any>
  var rows = lists.Named(view, 'orders')
  if !row_lists.Has(rows, index)
    return [['…', 'ViewModelKeys']]
  endif
  var order = row_lists.Row(rows, index)
  var name = printf('%.*S', width, order.name)
  return has_key(view.model.cancelled, order.id)
    ? [[name, 'ViewModelCancelled'], [printf('%.*S', width - strdisplaywidth(name), '  cancelled'), 'ViewModelMark']]
    : [[name]]
enddef
