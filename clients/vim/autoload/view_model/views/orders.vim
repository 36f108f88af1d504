vim9script
# The list of orders.

import autoload 'view_model/events.vim'

export def Type(): dict<any>
  return {
    New: () => ({is_loading: false, orders: [], cancelled: {}, failure: ''}),
    Apply: Apply,
    Title: Title,
    Lines: Lines,
    Opened: Load,
    keys: [
      ['<CR>', 'details', Select],
      ['r', 'reload', (view, _) => Load(view)],
      ['x', 'stop loading', (view, _) => events.Cancel(view)],
    ],
  }
enddef

def Apply(model: dict<any>, event: dict<any>)
  if event.kind ==# 'loading'
    model.is_loading = event.value
    model.failure = event.value ? '' : model.failure
  elseif event.kind ==# 'orders'
    model.orders = event.value
  elseif event.kind ==# 'failed'
    model.failure = event.message
  elseif event.kind ==# 'cancelled'
    model.cancelled[event.id] = true
  endif
enddef

def Load(view: dict<any>)
  events.Send(view, {kind: 'loadOrders'})
enddef

def Select(view: dict<any>, line: number)
  if line >= 1 && line <= len(view.model.orders)
    events.Send(view, {kind: 'selectOrder', index: line - 1})
  endif
enddef

def Title(view: dict<any>): string
  if view.model.is_loading
    return 'Orders: loading…'
  elseif view.model.failure !=# ''
    return 'Orders: ' .. view.model.failure
  endif
  return $'Orders: {len(view.model.orders)}'
enddef

def Lines(view: dict<any>): list<any>
  var cancelled = view.model.cancelled
  return view.model.orders->mapnew((_, order) => has_key(cancelled, order.id) ? CancelledLine(order) : order.name)
enddef

# Beside, since a lambda with a block makes Vim 9.0 ask for Enter after the next command.
def CancelledLine(order: dict<any>): list<any>
  return [[order.name, 'ViewModelCancelled'], ['  cancelled', 'ViewModelMark']]
enddef
