"""Taking a change out of a file that others have changed since. Pure.

Where their hunks are apart from it both hold. Where they meet there are two answers: theirs stays as it is, or the
lines in question become what they were before the change, and theirs is lost there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from agent.review.lines import Edit, Lines, edits_between, same_edits, with_edits


@dataclass(frozen=True, slots=True)
class Merged:
    """`met`: in how many places the two touch."""

    lines: Lines
    met: int


@dataclass(slots=True)
class _Place:
    """Edits of both sides that touch, and the lines they are about, of what both were made on."""

    first: int
    last: int
    ours: list[Edit]
    theirs: list[Edit] = field(default_factory=list[Edit])


def merged(made_on: Lines, wanted: Lines, now: Lines, *, mine: bool) -> Merged:
    """What leads from `made_on` to `wanted`, done to `now`. `mine`: also where that writes over what others did."""
    theirs = edits_between(made_on, now)
    there = same_edits(edits_between(made_on, wanted), theirs, made_on)
    ours = [edit for edit in edits_between(made_on, wanted) if edit not in there]
    places = _places(ours, theirs)
    met = sum(bool(place.theirs) for place in places)
    if mine:
        return Merged(_done(places, theirs, made_on, now), met)
    done = [place for place in places if not place.theirs]
    while True:
        lines = _done(done, theirs, made_on, now)
        # A line that was moved must not go from its new place if it cannot come back to its old one.
        lost = {*made_on}.intersection(wanted, now).difference(lines)
        apart = [place for place in done if lost.isdisjoint(made_on[place.first : place.last])]
        if len(apart) == len(done):
            return Merged(lines, met)
        done = apart


def _done(places: Sequence[_Place], theirs: Sequence[Edit], made_on: Lines, now: Lines) -> Lines:
    edits: list[Edit] = []
    for place in places:
        # Those before it have moved it; those in it have made it longer or shorter.
        shift = sum(edit.growth for edit in theirs if edit.last < place.first)
        grown = sum(edit.growth for edit in place.theirs)
        inside = [Edit(one.first - place.first, one.last - place.first, one.new) for one in place.ours]
        new = with_edits(made_on[place.first : place.last], inside)
        edits.append(Edit(place.first + shift, place.last + shift + grown, new))
    return with_edits(now, edits)


def _places(ours: Sequence[Edit], theirs: Sequence[Edit]) -> list[_Place]:
    places: list[_Place] = []
    for edit in ours:
        touching = [one for one in theirs if one.first <= edit.last and edit.first <= one.last]
        first = min([edit.first, *(one.first for one in touching)])
        last = max([edit.last, *(one.last for one in touching)])
        before = places[-1] if places else None
        if before is not None and touching and before.theirs and before.theirs[-1] is touching[0]:
            before.last = max(before.last, last)
            before.ours.append(edit)
            before.theirs += touching[1:]
        else:
            places.append(_Place(first, last, [edit], touching))
    return places
