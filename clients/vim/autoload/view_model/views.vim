vim9script
# Which view shows which view model. A view is a dictionary:
#   Lines(view)           the lines below the head; each is text, or a list of [text, highlight group]
#   New()                 what a view knows at first, its `view.model`; an empty dictionary unless given
#   Apply(model, event)   takes a view model's event into that; a kind it doesn't know changes nothing
#   Title(view)           the first line; the view model's name unless given
#   keys                  [key, what it does in a word or two, function(view, line)]; `line` counts from 1 in Lines(). With
#                         words it is for who may do more than look, unless `true` is behind
#   KeysNow(view)         optional: the keys as things stand, in the place of `keys`; see KeysChanged() in view.vim
#   Painted(view)         optional: what to do when its lines were written, such as to place the cursor
#   list                  optional: the name of the list that is all that it shows, by Lines() and Painted() of
#                         views/list.vim, whose `motions` are among its keys
#   RowLine(view, index, width)   optional: the line of a row of that, which has room for so many columns
#   Opened(view)          optional: what to do when its session was made, and not found
#   wants_description     optional: whether the view model's contract is asked for when it is shown
#   is_picker             optional: whether it isn't shown in a buffer, but by the picker, see finder.vim
#
# g:view_model_views has the user's own, by the types of view models, such as 'Finder.FinderViewModel', or by names.

import autoload 'view_model/views/confirm_cancel.vim' as confirm_cancel
import autoload 'view_model/views/finder.vim' as finder
import autoload 'view_model/views/finder_preview.vim' as finder_preview
import autoload 'view_model/views/generic.vim' as generic
import autoload 'view_model/views/order_details.vim' as order_details
import autoload 'view_model/views/orders.vim' as orders

def Own(name: string, model_type: string): any
  var own = get(g:, 'view_model_views', {})
  if type(own) != v:t_dict
    throw 'g:view_model_views must be a dictionary'
  endif
  var view = get(own, model_type, get(own, name, null))
  if type(view) == v:t_none
    return null
  elseif type(view) != v:t_dict || type(get(view, 'Lines', null)) != v:t_func
    throw $"g:view_model_views: the view of {name} must be a dictionary with a function Lines(view)"
  endif
  return extendnew({New: () => ({}), Apply: (_, _) => 0, Title: (shown) => shown.name, keys: []}, view)
enddef

# By the type of the view model: a name alone may be that of another server's view model.
def BuiltIn(model_type: string): dict<any>
  if model_type ==# 'Examples.OrdersViewModel'
    return orders.Type()
  elseif model_type ==# 'Examples.OrderDetailsViewModel'
    return order_details.Type()
  elseif model_type ==# 'Examples.ConfirmCancelViewModel'
    return confirm_cancel.Type()
  elseif model_type ==# 'Examples.FinderViewModel'
    return finder.Type()
  elseif model_type ==# 'Examples.FinderPreviewViewModel'
    return finder_preview.Type()
  endif
  return generic.Type()
enddef

# The view for a view model. `model_type` is empty where the server doesn't say it. `failure` is why there is no better one.
export def Of(name: string, model_type: string): dict<any>
  try
    return Own(name, model_type) ?? BuiltIn(model_type)
  catch
    return extendnew(generic.Type(), {failure: v:exception})
  endtry
enddef
