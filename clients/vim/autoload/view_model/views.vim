vim9script
# Which buffer shows which view model. A type of view is a dictionary:
#   New()                 what a view knows at first
#   Apply(model, event)   takes a view model's event into that; a kind it doesn't know changes nothing
#   Title(view)           the first line
#   Lines(view)           the lines below the head; each is text, or a list of [text, highlight group]
#   keys                  [key, what it does in a word or two, function(view, line)]; `line` counts from 1 in Lines()
#   Opened(view)          optional: what to do when its session was made
#   wants_description     optional: whether the view model's contract is asked for when it is shown

import autoload 'view_model/views/confirm_cancel.vim' as confirm_cancel
import autoload 'view_model/views/generic.vim' as generic
import autoload 'view_model/views/order_details.vim' as order_details
import autoload 'view_model/views/orders.vim' as orders

export def Of(name: string): dict<any>
  if name ==# 'orders'
    return orders.Type()
  elseif name ==# 'orderDetails'
    return order_details.Type()
  elseif name ==# 'confirmCancel'
    return confirm_cancel.Type()
  endif
  return generic.Type()
enddef
