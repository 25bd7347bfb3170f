"""Steps before a question: a new column, missing values filled in, rows that are left out."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from flows.analysis.tasks.scales import inside, scaled
from flows.semantics.model import Dataset
from flows.semantics.query import Arithmetic, Constant, Expression, FieldRef, Missing, Not
from flows.semantics.request import Derive, Encode, Impute, Keep, Split, Step

_Q = "[\"'`\u201c\u201d\u2018\u2019]"
_NAME = rf"(?:{_Q}(?P<name>[^\"'`\u201c\u201d\u2018\u2019]+){_Q}|(?P<plain>[A-Za-z_]\w*))"
_MADE = re.compile(
    rf"^\W*(?:first(?:ly)?,? |then,? |and )?(?:create|generate|add|derive|make|compute|define|"
    rf"engineer|construct)s? (?:(?:a|an|the|another) )?(?:new )?(?:column|feature|variable|"
    rf"attribute|field)s?,? (?:called |named |for )?{_NAME}(?: column| feature)?,?"
    rf"(?:\s*(?:=|:)\s*|,? (?:as|by|which is|that is|equal to|defined as|calculated as|being|where "
    rf".{{0,40}}? is)\b(?: the)? ?)(?P<of>.+?)"
    rf"(?=[.;?!]?$|,? (?:and )?then\b|,? and (?=calculate|compute|find|determine|what|how|check|"
    rf"report|give|show|list|tell|return))",
    re.IGNORECASE,
)
_FILLED = re.compile(
    rf"\b(?:impute|fill(?: in)?|replace|handle) (?:all |any )?(?:the )?(?:missing|null|nan|empty)"
    rf"(?: values?| entries)? (?:in|of|for) (?:the )?(?:columns? )?{_NAME}(?: columns?)?"
    rf"(?: values?)? (?:with|by|using) (?:imputing )?(?:its |the |their )?(?:column(?:'s)? )?"
    rf"(?:(?P<way>mean|average|median|mode|most (?:frequent|common)(?: value)?)|(?P<value>-?\d+"
    rf"(?:\.\d+)?))(?: imputation)?(?: values?)?(?: of (?:the|that|its) (?:\w+ )?columns?)?"
    rf"(?: value)?,?(?: and)?(?: then)?",
    re.IGNORECASE,
)
_REPLACED = re.compile(
    rf"^\W*(?:the )?(?:missing|null|nan|empty) (?:values? (?:in|of|for) )?(?:the )?{_NAME}"
    rf"(?: columns?)?(?: values?)? (?:should be|must be|are(?: to be)?|is(?: to be)?|have to be) "
    rf"(?:replaced|imputed|filled(?: in)?) (?:by|with|using) (?:its |the |their )?(?:column )?"
    rf"(?:(?P<way>mean|average|median|mode|most (?:frequent|common)(?: value)?)|(?P<value>-?\d+"
    rf"(?:\.\d+)?))(?: of (?:the|that|its) (?:\w+ )?columns?)?",
    re.IGNORECASE,
)
_CODING = r"(?P<way>label|ordinal|one[- ]hot)[- ]encod(?:ing|er)"
_ORDER = r"(?:,? in alphabetical order)?(?:,? starting (?:at|from|with) (?:0|zero))?"
_ENCODED = (
    re.compile(
        rf"\b(?:encode|convert|transform|turn) (?:the )?{_NAME}(?: columns?)?"
        rf"(?: (?:in)?to numbers| as numbers| numerically)? (?:with|by|using|via) {_CODING}{_ORDER}"
        rf",?(?: and)?(?: then)?",
        re.IGNORECASE,
    ),
    re.compile(
        rf"\b(?:use|apply|perform|after) {_CODING} (?:for|on|to|of) (?:the )?{_NAME}(?: column)?"
        rf"{_ORDER}",
        re.IGNORECASE,
    ),
)
# A part of the rows to test with, and the seed of the chance by which they are chosen.
_SPLIT = re.compile(
    r"\b(?:split|test[_ ]size|(?:for|as|the) test(?:ing)?|test set)\b", re.IGNORECASE
)
_TESTED = (
    re.compile(r"\btest[_ ]size(?: of|:| is)? ?=? ?(?P<part>0?\.\d+)", re.IGNORECASE),
    re.compile(
        r"(?:\d+ ?% (?:of (?:the )?(?:rows|data) )?(?:for )?train\w*,?(?: and|/)? )?"
        r"(?P<percent>\d+) ?%(?: of (?:the )?(?:rows|data))? (?:(?:for|as|the) )*test\w*",
        re.IGNORECASE,
    ),
    re.compile(r"\b\d+ ?[/:-] ?(?P<percent>\d+)\b"),
)
_SEED = re.compile(
    r"\b(?:random[_ ]state|(?:random )?seed)(?: value)?(?: of| is| set to|:)? ?=? ?(?P<seed>\d+)",
    re.IGNORECASE,
)
_KEPT = re.compile(
    rf"\b(?:remove|drop|exclude|filter out|leave out) (?:all |any )?(?:the )?(?:rows|entries|"
    rf"records|passengers|cases)(?: (?:with|where|that|which|having|have|has|are|is|a|an)){{1,3}} "
    rf"(?:missing|null|nan) (?:values? )?(?:in|of|for) (?:the )?{_NAME}(?: columns?)?(?: values?)?"
    rf",?(?: and)?(?: then)?",
    re.IGNORECASE,
)


_KEPT_WHERE = re.compile(
    rf"\b(?:remove|drop|exclude|filter out|leave out) (?:all |any )?(?:the )?(?:rows|entries|"
    rf"records|cases|observations) (?:where|in which|for which) (?:the )?{_NAME}(?: values?)? "
    rf"(?:is|are) (?:missing|null|nan|empty),?(?: and)?(?: then)?",
    re.IGNORECASE,
)
_ASK = "(?:report|give|show|list|tell|return|calculate|compute|find)"
# Rows with values that lie too far outside are left out.
_INSIDE = re.compile(
    rf"\b(?:remove|drop|exclude|filter out|leave out|eliminate) (?:all |any )?(?:the )?outliers "
    rf"(?:of|from|in) (?:the )?{_NAME}(?: columns?)?(?: values?)?,?\s*(?:\(?(?:using|with|by|"
    rf"outside|based on)\b[^,.]*?(?:(?P<fence>\d+(?:\.\d+)?) ?(?:\*|x|times)? ?iqr|iqr)[^,.)]*"
    rf"(?:\.\d+[^,.)]*)*\)?)?,?(?: and)?(?: then)?",
    re.IGNORECASE,
)
# Values moved to lie between nought and one.
_OTHER_NAME = _NAME.replace("name>", "name2>").replace("plain>", "plain2>")
_SCALED = re.compile(
    rf"\b(?:(?:apply|perform|use) min[- ]?max (?:scaling|normali[sz]ation) (?:to|on|for) (?:the )?"
    rf"{_NAME}(?: columns?)?|(?:scale|normali[sz]e) (?:the )?{_OTHER_NAME}"
    rf"(?: columns?)? (?:with|using|by) min[- ]?max (?:scaling|normali[sz]ation))"
    rf"(?: to (?:the range )?(?:0|zero|\[0)(?: to |-|, ?)(?:1|one)\]?)?,?(?: and)?(?: then)?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class StepText:
    """A step whose columns are still the names that the text gives."""

    kind: Literal["derive", "impute", "keep", "encode", "split", "inside", "scale"]
    name: str
    of: str = ""
    way: str = ""


def read_step_text(sentence: str) -> tuple[StepText | None, str]:
    """The step that a sentence begins with or holds, and the sentence without it."""
    if found := _MADE.search(sentence):
        step = StepText("derive", _named(found), of=found.group("of").strip(" ,"))
        return step, _without(sentence, found)
    if found := _FILLED.search(sentence) or _REPLACED.search(sentence):
        way = found.group("value") or found.group("way").lower()
        return StepText("impute", _named(found), way=way), _without(sentence, found)
    if found := _INSIDE.search(sentence):
        step = StepText("inside", _named(found), way=found.group("fence") or "1.5")
        return step, _without(sentence, found)
    if found := _SCALED.search(sentence):
        name = found.group("name") or found.group("plain") or found.group("name2")
        name = (name or found.group("plain2")).strip()
        rest = f"{sentence[: found.start()]} {sentence[found.end() :]}"
        return StepText("scale", name), re.sub(r"^\W*(?:and )?(?:then)?[\s,]*", "", rest)
    if found := _KEPT.search(sentence) or _KEPT_WHERE.search(sentence):
        return StepText("keep", _named(found)), _without(sentence, found)
    for pattern in _ENCODED:
        if found := pattern.search(sentence):
            step = StepText("encode", _named(found), way=found.group("way").lower())
            return step, _without(sentence, found)
    return _read_split(sentence)


def _read_split(sentence: str) -> tuple[StepText | None, str]:
    """The split that a sentence tells, which needs a part and a seed and no other number."""
    seed = _SEED.search(sentence)
    if seed is None or not _SPLIT.search(sentence):
        return None, sentence
    rest = sentence[: seed.start()] + " " + sentence[seed.end() :]
    for pattern in _TESTED:
        if found := pattern.search(rest):
            given = found.groupdict()
            part = float(given["part"]) if given.get("part") else int(given["percent"]) / 100
            left = rest[: found.start()] + rest[found.end() :]
            if re.search(r"\d|\bstratif", left) or not 0 < part < 1:
                return None, sentence
            return StepText("split", "split", of=str(part), way=seed.group("seed")), ""
    return None, sentence


def _named(found: re.Match[str]) -> str:
    return (found.group("name") or found.group("plain")).strip()


def _without(sentence: str, found: re.Match[str]) -> str:
    rest = f"{sentence[: found.start()]} {sentence[found.end() :]}"
    rest = re.sub(
        r"\b(?:its|the) correlation with\b", f"the correlation of {_named(found)} with", rest
    )
    rest = re.sub(rf"\b(?P<ask>{_ASK}) its\b", rf"\g<ask> the {_named(found)}", rest, flags=re.I)
    rest = re.sub(
        rf"(?P<ask>{_ASK}) the {re.escape(_named(found))} (?P<what>mean|average|median|sum|maximum|"
        r"minimum|standard deviation)\b",
        rf"\g<ask> the \g<what> of {_named(found)}", rest, flags=re.I,
    )  # fmt: skip
    return re.sub(r"^\W*(?:and )?(?:then)?[\s,]*", "", rest)


def step_of(text: StepText, dataset: Dataset) -> Step | None:
    """The step over a dataset; None where it names what the dataset does not have."""
    if text.kind == "derive":
        made = _Formula(text.of, dataset).read()
        taken = find_field(text.name, dataset) is not None
        return Derive(name=text.name, of=made) if made is not None and not taken else None
    if text.kind == "split":
        return Split(test=float(text.of), seed=int(text.way))
    field = find_field(text.name, dataset)
    if field is None:
        return None
    if text.kind == "encode":
        return Encode(field=field, way="one-hot" if text.way.startswith("one") else "ordinal")
    if text.kind == "inside":
        return Keep(where=inside(field, float(text.way)))
    if text.kind == "scale":
        return Derive(name=f"scaled_{field.field}", of=scaled(field))
    if text.kind == "keep":
        return Keep(where=Not(of=Missing(of=field)))
    if text.way[:1] in "-0123456789":
        return Impute(field=field, way="value", value=Constant(value=float(text.way)))
    if text.way in ("mean", "average"):
        return Impute(field=field, way="mean")
    return Impute(field=field, way="median" if text.way == "median" else "most frequent")


def find_field(name: str, dataset: Dataset) -> FieldRef | None:
    """The field of that name; case, spaces and underscores do not matter."""
    plain = _plain(name)
    names = [each.name for each in dataset.fields if _plain(each.name) == plain]
    return FieldRef(dataset=dataset.name, field=names[0]) if len(names) == 1 else None


def _plain(name: str) -> str:
    return re.sub(r"[\s_]+", "", re.sub(r"\([^)]*\)$", "", name)).lower()


_PAIRS: tuple[tuple[Literal["+", "-", "*", "/"], bool, str], ...] = (
    ("+", False, r"(?:summing|adding|sum of|the sum of)(?: up)? (?P<a>.+?) (?:and|to|with) "
                 r"(?P<b>.+)"),
    ("-", False, r"(?:the )?difference (?:between|of) (?P<a>.+?) and (?P<b>.+)"),
    ("-", True, r"subtracting (?P<a>.+?) from (?P<b>.+)"),
    ("*", False, r"(?:multiplying|(?:the )?product of) (?P<a>.+?) (?:and|by|with) (?P<b>.+)"),
    ("/", False, r"(?:dividing|(?:the )?ratio of|(?:the )?ratio between) (?P<a>.+?) (?:by|to|and) "
                 r"(?P<b>.+)"),
)  # fmt: skip
_TOKEN = re.compile(rf"\s*(?:{_Q}([^\"'`\u201c\u201d]+){_Q}|([A-Za-z_]\w*)|(\d+\.?\d*)|([-+*/()]))")


class _Formula:
    """Reads arithmetic over the fields of a dataset: `SibSp + Parch`, `the sum of a and b`."""

    def __init__(self, text: str, dataset: Dataset) -> None:
        text = re.sub(r"\b(?:the )?(?:values? (?:of|in) )?(?:the )?(?:columns?|features?)\b", " ",
                      text)  # fmt: skip
        self.text = " ".join(re.sub(r"\bthe\b", " ", text).split()).strip(" .,")
        self.dataset = dataset
        self.tokens: list[tuple[str, str, str, str]] = []
        self.at = 0

    def read(self) -> Expression | None:
        """The expression; None where any of it is not understood."""
        for operator, turned, pattern in _PAIRS:
            found = re.fullmatch(pattern, self.text, re.IGNORECASE)
            if found is not None:
                sides = [_Formula(found.group(each), self.dataset).read() for each in "ab"]
                left, right = reversed(sides) if turned else sides
                if left is None or right is None:
                    return None
                return Arithmetic(operator=operator, left=left, right=right)
        field = find_field(self.text.strip("\"'`"), self.dataset)
        return field if field is not None else self._infix()

    def _infix(self) -> Expression | None:
        text, place = re.sub(r"\bplus\b", "+", re.sub(r"\bminus\b", "-", self.text)), 0
        while place < len(text):
            found = _TOKEN.match(text, place)
            if found is None:
                return None
            self.tokens.append(tuple(each or "" for each in found.groups()))  # type: ignore[arg-type]
            place = found.end()
        made = self._sum()
        return made if self.at == len(self.tokens) else None

    def _sum(self) -> Expression | None:
        return self._chain("+-", self._product)

    def _product(self) -> Expression | None:
        return self._chain("*/", self._one)

    def _chain(self, signs: str, inner: Callable[[], Expression | None]) -> Expression | None:
        left = inner()
        while left is not None and (sign := self._sign(signs)):
            right = inner()
            left = Arithmetic(operator=sign, left=left, right=right) if right is not None else None
        return left

    def _sign(self, signs: str) -> str:
        if self.at < len(self.tokens) and (sign := self.tokens[self.at][3]) and sign in signs:
            self.at += 1
            return sign
        return ""

    def _one(self) -> Expression | None:
        if self._sign("("):
            inner = self._sum()
            return inner if self._sign(")") else None
        if self.at == len(self.tokens):
            return None
        quoted, name, number, _ = self.tokens[self.at]
        self.at += 1
        if number:
            return Constant(value=float(number) if "." in number else int(number))
        return find_field(quoted or name, self.dataset) if quoted or name else None
