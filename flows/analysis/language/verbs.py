"""Verbs of general English. Between two things of the data a verb only ties them together."""

from __future__ import annotations

from functools import lru_cache
from typing import Final


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_REGULAR = frozenset(
    _words(
        """accept access accommodate accompany achieve acquire act add address admit advise affect
        agree aim allow announce answer apply appoint approve arrange arrive ask assess
        assign assist associate attach attack attain attend author award base battle
        belong board book border broadcast call cancel capture care carry cast cause
        charge check claim clean close coach collect command compete complete compose
        comprise concern conclude conduct connect consist consume contact continue
        contribute control cook correspond cost cover create cross damage date deal
        decide declare dedicate deliver demand depart depend describe design destroy
        develop die direct discharge discover display distribute donate download drop
        earn edit educate elect eliminate employ enable end enjoy enroll enrol enter
        establish exceed exhibit exist experience explain export express extend face
        fail feature file fill finish focus follow form found function fund gain gather
        generate govern graduate greet grant guide handle happen head help host house
        identify impact implement import improve include increase influence injure
        inspect install instruct insure introduce invest investigate invite involve
        issue join judge kill label lack land last launch learn lease license like limit
        link list live load locate look love maintain manage mark marry match measure
        mention merge migrate miss mount move name need nominate note notice observe
        obtain occupy occur offer open operate order organize organise originate own
        pack participate pass perform permit place plan play populate possess post
        practice prefer prepare prescribe present preside prevent process produce
        program project promote propose protect prove provide publish purchase qualify
        raise range rank rate reach receive record recruit refer regard register relate
        release remain remember remove rent repair replace report represent request
        require reserve reside respond rest result retain retire return review reward
        sail save schedule score secure select separate serve service share ship show
        sign sponsor staff stage star start stay step stock stop store study submit
        succeed suffer supervise supply support surround target taste test thank tie
        tour trade train transfer transmit transport travel treat try turn type undergo
        update upload use utilize value view visit vote wait walk want warn waste watch
        wear weigh win wish witness work worry"""
    )
)
_IRREGULAR = frozenset(
    _words(
        """am is are was were be been being become became becomes begin began begun bring brought
        build built buy bought catch caught choose chose chosen come came cut deal dealt
        do did done draw drew drawn drink drank drive drove driven eat ate eaten fall
        fell fallen feed fed feel felt fight fought find found fly flew flown get got
        gotten give gave given go goes went gone grow grew grown have has had hear heard
        hit hold held hurt keep kept know knew known lead led leave left lend lent let
        lie lay lose lost make made mean meant meet met pay paid put quit read ride rode
        ridden rise rose risen run ran say said see saw seen seek sought sell sold send
        sent set shoot shot show shown sing sang sung sit sat sleep slept speak spoke
        spoken spend spent stand stood steal stole stolen swim swam swum take took taken
        teach taught tell told think thought throw threw thrown undergo underwent
        understand understood wear wore worn win won write wrote written"""
    )
)

# Past forms that no ending tells, with the verb; none of them is another word as well.
_PAST: Final = """
    brought=bring built=build bought=buy caught=catch chose=choose chosen=choose drew=draw
    drawn=draw drove=drive driven=drive fought=fight flew=fly flown=fly grew=grow grown=grow
    kept=keep led=lead lent=lend paid=pay rode=ride ridden=ride sent=send sold=sell slept=sleep
    spent=spend stole=steal stolen=steal taught=teach threw=throw thrown=throw wrote=write
    written=write
"""
PRESENT: Final = dict(each.split("=") for each in _PAST.split())


@lru_cache(maxsize=8192)
def is_verb(word: str) -> bool:
    """Whether a word, in lower case, is a form of a common verb."""
    return word in _IRREGULAR or any(stem in _VERBS for stem in _stems(word))


_VERBS = _REGULAR | _IRREGULAR


def _stems(word: str) -> list[str]:
    """What a form may come from: offers, tries, offered, planned, offering, making."""
    found = [word]
    for ending in ("s", "es", "d", "ed", "ing"):
        if word.endswith(ending) and len(word) - len(ending) > 2:
            stem = word[: -len(ending)]
            found.append(stem)
            if ending in ("ed", "ing"):
                found += [f"{stem}e", *([stem[:-1]] if stem[-1] == stem[-2] else [])]
            if ending in ("es", "ed") and stem.endswith("i"):
                found.append(f"{stem[:-1]}y")
    return found
