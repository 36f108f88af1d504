vim9script
# Places in a list, which stay with their rows: they move with the list's edits, and where any row may be another, a row
# is found again by its identity.

# A place at the first row. Where its row goes, it is at the one that comes there, or at none (-1) where it is `strict`.
export def New(strict = false): dict<any>
  return {index: 0, id: '', is_lost: false, is_strict: strict}
enddef

# `id` is the row's identity; empty where it has none, or isn't known.
export def Set(place: dict<any>, index: number, id: string)
  extend(place, {index: index, id: id, is_lost: false})
enddef

# Any row may be another now.
export def Reset(place: dict<any>)
  place.is_lost = true
enddef

export def Edit(place: dict<any>, edits: list<any>)
  for edit in edits
    if place.index >= edit.at + edit.removed
      place.index += edit.inserted - edit.removed
    elseif place.index >= edit.at
      DidGo(place, edit)
    endif
  endfor
enddef

# As many rows came as went: perhaps they are the same ones with other content.
def DidGo(place: dict<any>, edit: dict<any>)
  place.is_lost = true
  if edit.removed != edit.inserted
    place.index = place.is_strict ? -1 : edit.at + min([place.index - edit.at, edit.inserted])
  endif
enddef

export def Limit(place: dict<any>, count: number)
  if place.index >= count
    place.index = place.is_strict ? -1 : max([0, count - 1])
  endif
enddef

# Looks whether the place's row is among those that came, whose identities are `ids`, from the index `first` on.
export def Came(place: dict<any>, first: number, ids: list<string>)
  var found = place.is_lost && place.id !=# '' ? index(ids, place.id) : -1
  var offset = place.index < 0 ? -1 : place.index - first
  if found >= 0
    Set(place, first + found, place.id)
  elseif offset >= 0 && offset < len(ids)
    if place.is_lost && place.is_strict
      place.index = -1
    else
      Set(place, place.index, ids[offset])
    endif
  endif
enddef

# Where the row at an index is after edits; -1 where it went.
export def IndexAfter(edits: list<any>, index: number): number
  var place = index
  for edit in edits
    if place >= edit.at + edit.removed
      place += edit.inserted - edit.removed
    elseif place >= edit.at
      return -1
    endif
  endfor
  return place
enddef

# How long a list is after edits; -1 where they can't be those of a list of this length.
export def CountAfter(edits: list<any>, count: number): number
  var length = count
  for edit in edits
    if edit.at + edit.removed > length
      return -1
    endif
    length += edit.inserted - edit.removed
  endfor
  return length
enddef
