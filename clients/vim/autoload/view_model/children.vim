vim9script
# The children of a view: those that are pushed on its stack, and the one that is presented over it.

import autoload 'view_model/view.vim' as views

def AddChild(view: dict<any>, about: dict<any>, is_presented: bool)
  var child = views.New(view.client, {name: about.viewModel, key: about.key, host: view, is_presented: is_presented})
  if is_presented
    view.presented = child
  else
    add(view.stack, child)
  endif
  views.Attach(child)
enddef

export def ShowChild(view: dict<any>, about: dict<any>, is_presented: bool)
  AddChild(view, about, is_presented)
  views.Arranged(view)
enddef

# A child's session has ended.
export def TakeOff(view: dict<any>, child: dict<any>)
  filter(view.stack, (_, other) => other isnot child)
  if view.presented is child
    view.presented = {}
  endif
  views.Arranged(view)
enddef

# The child with this key was taken off.
export def EndChild(view: dict<any>, key: string)
  EndChildren(view, (child) => child.key ==# key)
enddef

def EndChildren(view: dict<any>, IsOver: func)
  for child in views.Children(view)
    if IsOver(child)
      views.Finish(child, views.reasons.popped)
    endif
  endfor
enddef

# Brings what is on screen to what the server says it is, and attaches to all of it.
export def ArrangeAs(view: dict<any>, navigation: dict<any>)
  var stack = get(navigation, 'stack', [])
  var presented = get(navigation, 'presented', null) ?? {}
  var wanted = stack->mapnew((_, about) => about.key)
  if !empty(presented)
    add(wanted, presented.key)
  endif
  EndChildren(view, (child) => index(wanted, child.key) < 0)
  var known = views.Children(view)->mapnew((_, child) => child.key)
  for child in views.Children(view)
    if child.state !=# 'live'
      views.Resume(child)
    endif
  endfor
  for about in stack
    if index(known, about.key) < 0
      AddChild(view, about, false)
    endif
  endfor
  if !empty(presented) && index(known, presented.key) < 0
    AddChild(view, presented, true)
  endif
  views.Arranged(view)
enddef
