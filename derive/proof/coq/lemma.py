"""A certificate as a lemma of Coq: its statement as it stands, and a script that replays its steps."""

from __future__ import annotations

from typing import Any

from derive.errors import ClaimError
from derive.proof.coq.ratios import Tree
from derive.proof.coq.script import Goal, Script
from derive.proof.coq.signs import NONNEGATIVE, ONE, POSITIVE, REAL, Fact, Signs
from derive.proof.coq.steps import follow
from derive.proof.coq.text import (
    CONDITIONS,
    KINDS,
    NAME,
    RELATIONS,
    SWAPPED,
    conditions,
    coq,
    lemma_name,
    read,
    substituted,
    symbol_name,
)
from derive.tree import shown

SIGN_OF_KIND = {
    "positive integer": ONE, "natural number": NONNEGATIVE, "positive real": POSITIVE, "nonnegative real": NONNEGATIVE,
    "real": REAL, "integer": REAL,
}  # fmt: skip


def lemma(certificate: dict[str, Any]) -> str:
    """The lemma of a certificate with its proof, as far as it goes: whether it holds is for Coq to say.

    Raises `ClaimError` where the certificate is not in the format.
    """
    try:
        return _lemma(certificate)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        raise ClaimError(f"{shown(str(certificate.get('name')))} is not a certificate: {error!r}") from error


def _lemma(certificate: dict[str, Any]) -> str:
    symbols, defined = certificate["symbols"], dict(certificate["define"])
    names = set(symbols)
    for name in symbols:
        if not NAME.fullmatch(name):
            raise ClaimError(f"{shown(name)} cannot be the name of a symbol")
    free = {name: symbols[name] for name in symbols if name not in defined}
    definitions: dict[str, Tree] = {}
    for name, tree in certificate["define"]:  # of free symbols, and of those defined before
        definitions[name] = read(tree, {*free, *definitions})
    givens = [(relation, read(left, names), read(right, names)) for relation, left, right in certificate["given"]]
    relation, left, right = certificate["relation"], read(certificate["left"], names), read(certificate["right"], names)
    trees = [*definitions.values(), *(tree for given in givens for tree in given[1:]), left, right]
    needed = tuple(dict.fromkeys(each for tree in trees for each in conditions(tree)))
    variables = [symbol_name(name) for name in symbols]
    kinds = [(symbol_name(name), text) for name, kind in free.items() for text in KINDS[kind]]
    hypotheses = [text.format(name) for name, text in kinds]
    hypotheses += [f"{symbol_name(name)} = {coq(tree)}" for name, tree in definitions.items()]
    hypotheses += [f"{coq(one)} {RELATIONS[sign]} {coq(other)}" for sign, one, other in givens]
    conclusions = [CONDITIONS[kind].format(coq(tree)) for kind, tree in needed]
    conclusions.append(f"{coq(left)} {RELATIONS[relation]} {coq(right)}")
    scope = f"forall {' '.join(variables)} : R,\n  " if variables else ""
    statement = scope + "".join(f"{each} ->\n  " for each in hypotheses) + " /\\\n  ".join(conclusions)
    proof = _proof(certificate, free, definitions, givens, Goal(needed, relation, left, right))
    name = certificate["name"]
    comment = f"(* {name} *)\n" if NAME_OF_CERTIFICATE.issuperset(name) else ""
    return "\n".join([f"{comment}Lemma {lemma_name(name)} :\n  {statement}.", "Proof.", *proof, "Qed.", ""])


NAME_OF_CERTIFICATE = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-/")


def _proof(
    certificate: dict[str, Any],
    free: dict[str, str],
    definitions: dict[str, Tree],
    givens: list[tuple[str, Tree, Tree]],
    goal: Goal,
) -> list[str]:
    signs = Signs()
    after: dict[str, Tree] = {}
    for name, tree in definitions.items():
        after[symbol_name(name)] = substituted(tree, after)
    script = Script(signs, set(certificate["symbols"]), after)
    kinds = [(symbol_name(name), kind, place) for name, kind in free.items() for place in range(len(KINDS[kind]))]
    introduced = [*map(symbol_name, certificate["symbols"]), *(f"kind'{name}'{place}" for name, _, place in kinds)]
    introduced += [*(f"definition'{name}" for name in after), *(f"given'{place}" for place in range(len(givens)))]
    if introduced:
        signs.emit(f"intros {' '.join(introduced)}.")
    if after:
        signs.emit(f"subst {' '.join(after)}.")
    for name, kind in free.items():
        _introduce(script, symbol_name(name), kind)
    for place, (relation, left, right) in enumerate(givens):
        one, other = script.after(left), script.after(right)
        if relation in SWAPPED:
            signs.emit(f"apply Rge_le in given'{place}." if relation == ">=" else f"apply Rgt_lt in given'{place}.")
            one, other = other, one
        signs.facts.append(Fact(SWAPPED.get(relation, relation), one, other, f"given'{place}"))
    follow(script, goal, certificate["steps"])
    return signs.lines


def _introduce(script: Script, name: str, kind: str) -> None:
    signs, last = script.signs, f"kind'{name}'{len(KINDS[kind]) - 1}"
    signs.kinds[name] = SIGN_OF_KIND[kind]
    if "integer" in kind or "natural" in kind:
        script.wholes.add(name)
        signs.emit(f"rename kind'{name}'0 into whole'{name}.")
    if signs.kinds[name] == ONE:
        signs.emit(f"pose proof (one_n' {last}) as one'{name}; pose proof (one_p' one'{name}) as pos'{name}.")
    elif signs.kinds[name] != REAL:
        signs.emit(f"rename {last} into {'pos' if signs.kinds[name] == POSITIVE else 'nonneg'}'{name}.")
