vim9script
# The events that no session took, for the user to have back. The views of one stack share one list: each entry has the
# `label` of its view, the `event`, and whether it `was_sent`, and no answer came.

def IndexOf(unsent: list<dict<any>>, label: string, kind: string): number
  return indexof(unsent, (_, one) => one.label ==# label && one.event.kind ==# kind)
enddef

# The oldest event of this kind, or an empty dictionary.
export def Oldest(unsent: list<dict<any>>, label: string, kind: string): dict<any>
  var index = IndexOf(unsent, label, kind)
  return index < 0 ? {} : unsent[index].event
enddef

# Forgets the oldest event of this kind. Returns whether there was one.
export def ForgetOldest(unsent: list<dict<any>>, label: string, kind: string): bool
  var index = IndexOf(unsent, label, kind)
  if index >= 0
    remove(unsent, index)
  endif
  return index >= 0
enddef

# How many there are in all, and how many of them were sent.
export def Counts(unsent: list<dict<any>>): list<number>
  return [len(unsent), copy(unsent)->filter((_, one) => one.was_sent)->len()]
enddef
