"""A task text apart: sentences that ask, steps before them, what is settled, and the form."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from flows.analysis.tasks.bins import BinsText, read_bins
from flows.analysis.tasks.form import AnswerForm, form_start, has_form, read_form
from flows.analysis.tasks.rounding import ROUNDING, decimals_in
from flows.analysis.tasks.rules import read_rules
from flows.analysis.tasks.settings import TaskSettings, settle, variant_in, without_variant
from flows.analysis.tasks.statistics import statistic_in
from flows.analysis.tasks.steps import StepText, read_step_text

_LABEL = re.compile(
    r"(?:^|(?<=[\s|.?!]))(?:\*\*)?(?P<label>question|task|constraints?|requirements?|"
    r"(?:(?:answer|output|response|return) )?format)(?:\*\*)?\s*:(?:\*\*)?",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.!?;])\s+(?!(?:[\w-]+ ){0,3}(?:otherwise|else)\b)|\s*\n+\s*|\s+\|\s+")
# What asks: a question, or a verb that tells what to do.
_ASKS = re.compile(
    r"\?\W*$|\b(?:what|which|who|whose|how|when|where)\b|"
    r"(?:^|,|\band|\bthen|\bto)\W*(?:first(?:ly)?,? |next,? |then |finally,? |also |please )*"
    r"(?:calculate|compute|find|determine|identify|count|detect|check|report|give|list|show|tell|"
    r"perform|conduct|assess|analy[sz]e|compare|test|train|fit|build|predict|create|add|generate|"
    r"group|bin|categori[sz]e|divide|split|encode|convert|remove|drop|impute|fill|replace|examine|"
    r"extract|normali[sz]e|standardi[sz]e|scale|evaluate|explore|investigate|measure|summari[sz]e|get|estimate|verify|run|rank|is|are|do|"
    r"does|did|has|have|can|was|were)\b",
    re.IGNORECASE,
)
_DEMAND = re.compile(
    r"^\W*(?:use|using|assume|consider|note|only|round|ignore|exclude|report|state|provide|give|do "
    r"not|don't|make sure|ensure|if|the relationship|perform the|apply|set|with|treat|when|where|"
    r"keep|for (?:this|the (?:test|calculation)))\b",
    re.IGNORECASE,
)
# Words of a constraint that change nothing: the libraries of the sandbox, and how people say it.
_IDLE = frozenset(
    re.findall(
        r"\S+",
        """
        a all alpha also an analysis and answer answers any are as assess associated association
        at be between both built-in by calculate calculated calculating calculation can check
        coefficient column columns compute computed computing conduct considered correlation
        data dataset decimal decimals default determine direction e each final find following
        for formula from function functions get give given has have hypothesis i identify in is
        it its learn level libraries library linear make method methods module must need needs
        normality number numbers numeric numpy of on or outlier outliers output p p-value
        package pandas perform performed places please print provide provided python r report
        reported result results return returned round rounded s scikit scipy score scores should
        show significance significant standard stat state statistical statistically stats
        strength t t-test tail tailed tails test testing tests that the their them then these
        this those to up use used using value values via which will with you your
        """,
    )
)
_TELLING = frozenset(
    re.findall(r"\w+", "not no only except exclude excluding without never unless instead")
)
_FILTER = re.compile(
    r"^\W*(?:(?:use|consider|include|take|keep|select) only|only (?:use|consider|include|take|keep|"
    r"select)|(?:filter|restrict|limit) (?:the )?(?:data(?:set)?|table|rows|analysis) (?:to|for))"
    r"(?: the)? (?P<rows>\w.*?)"
    r"(?: before (?:the )?(?:calculat\w+|comput\w+|analysis)[^.]*)?\W*$",
    re.IGNORECASE,
)
_REPORTS = re.compile(r"^\W*(?:report|state|give|provide|return)(?: the)?\b", re.IGNORECASE)
_WHERE = re.compile(r"\b(?:on|for|of) the test(?:ing)?(?: set| data| rows)?\b", re.IGNORECASE)
_P = re.compile(r"\bp(?:[- ]values?)?\b", re.IGNORECASE)
_FOLLOW = re.compile(r"^\W*(?:and )?if (?:so|yes|not|it (?:is|does)|there is)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class TaskText:
    """A task. `questions` and `steps` stand in their order; `unread` are constraints that nothing
    here stands for, `filters` say in words which rows alone are taken."""

    questions: tuple[str, ...]
    steps: tuple[StepText, ...]
    settings: TaskSettings
    form: AnswerForm
    unread: tuple[str, ...] = ()
    bins: tuple[BinsText, ...] = ()
    filters: tuple[str, ...] = ()


def read_task(text: str) -> TaskText | None:
    """The parts of a task text; None for a text without a form."""
    if not has_form(text):
        return None
    asked, demanded, form_text = _sections(text)
    form = read_form(form_text)
    questions = " ".join(each for each in asked if not _DEMAND.match(each))
    made = _Reader(form, [], [], TaskSettings(), [], questions)
    demands = [
        bool(_DEMAND.match(e)) or not (n == 0 or _ASKS.search(e)) for n, e in enumerate(asked)
    ]
    if all(demands) and asked and _ASKS.search(asked[0]):
        demands[0] = False  # what a task begins with asks, where nothing else does
    for sentence, is_demand in zip(asked, demands, strict=True):
        made.take(sentence, is_demand=is_demand)
    for sentence in demanded:
        made.take(sentence, is_demand=True)
    rules = read_rules(" ; ".join((*asked, *demanded, *made.rule_texts(form_text))))
    settings = replace(made.settings, rules=rules)
    return TaskText(
        tuple(made.questions),
        tuple(made.steps),
        settings,
        made.form,
        tuple(made.unread),
        tuple(made.bins),
        tuple(made.filters),
    )


def _sections(text: str) -> tuple[list[str], list[str], str]:
    """The sentences of the question, those of the constraints, and the text of the form."""
    labels = list(_LABEL.finditer(text))
    if not any(_is_form(each.group("label")) for each in labels):
        start = form_start(text)
        asked, demanded, _ = _labelled(text[:start])
        return asked, demanded, text[start:]
    return _labelled(text)


def _labelled(text: str) -> tuple[list[str], list[str], str]:
    asked: list[str] = []
    demanded: list[str] = []
    form = ""
    kind, at = "question", 0
    for found in (*_LABEL.finditer(text), None):
        piece = text[at : found.start() if found is not None else len(text)]
        if _is_form(kind):
            form += piece
        else:
            sentences = [each.strip(" |\t*-") for each in _SENTENCE.split(piece)]
            home = demanded if kind[0] in "cr" else asked
            home += [each for each in sentences if re.search(r"\w", each)]
        if found is not None:
            kind, at = found.group("label").lower(), found.end()
    return asked, demanded, form


def _is_form(label: str) -> bool:
    return label.lower().endswith("format")


@dataclass(slots=True)
class _Reader:
    """What was read of the sentences so far."""

    form: AnswerForm
    questions: list[str]
    steps: list[StepText]
    settings: TaskSettings
    unread: list[str]
    asked: str
    bins: list[BinsText] = field(default_factory=list)
    filters: list[str] = field(default_factory=list)

    def take(self, sentence: str, *, is_demand: bool) -> None:
        """Read one sentence: steps, then what it settles; what is left asks, or is not read."""
        if _FOLLOW.match(sentence) and self._has_verdict():
            return
        bins, sentence = read_bins(sentence)
        if bins is not None and all(bins.bins != each.bins for each in self.bins):
            self.bins.append(bins)
        step, sentence = read_step_text(sentence)
        if step is not None and all((step.kind, step.name) != (e.kind, e.name) for e in self.steps):
            self.steps.append(step)
        if read_rules(sentence):
            return
        left, self.settings = settle(self._rounded(sentence), self.settings)
        if is_demand and (variant := variant_in(left)):
            self.settings = replace(self.settings, variant=variant)
            left = without_variant(left)
        if not is_demand:
            self._ask(left)
        elif filtered := _FILTER.match(sentence):
            self.filters.append(filtered.group("rows"))
        elif self._tells(left) and not self._names_fields(left):
            self.unread.append(sentence.strip(" .;"))

    def _rounded(self, sentence: str) -> str:
        """The sentence without the rounding of single fields, which these have now."""
        if re.search(r"\bround", sentence, re.IGNORECASE):  # `round ... and p to 3`
            sentence = re.sub(
                r"\bto (\d)(?=[\s.,;)]*(?:$|[,;]|and\b))", r"to \1 decimals", sentence
            )
        clauses = re.split(r"(?<=[,;])\s+|\s+(?=and )", sentence)
        for at, clause in enumerate(clauses):
            decimals = decimals_in(clause)
            named = {
                each.name
                for each in self.form.fields
                if re.search(re.sub(r"[_ ]", "[- _]", re.escape(each.name)), clause, re.I)
                or (_P.search(clause) and statistic_in(each.name)[0] == "p_value")
            }
            if decimals is None or not named or len(self.form.fields) == 1:
                continue
            self.form = AnswerForm(tuple(
                replace(each, decimals=decimals) if each.name in named else each
                for each in self.form.fields
            ))  # fmt: skip
            clauses[at] = ROUNDING.sub(" ", clause)
        return " ".join(clauses)

    def rule_texts(self, form_text: str) -> list[str]:
        """The sentences of the form that may be rules."""
        return [each for each in _SENTENCE.split(form_text) if read_rules(each)]

    def _ask(self, left: str) -> None:
        plain = " ".join(re.sub(r"\s+([.,;?!])", r"\1", left).split()).strip(" ,;")
        if self._words(plain) - _IDLE:
            self.questions.append(plain)

    def _tells(self, left: str) -> bool:
        """Whether a constraint says more than the question, the form and the idle words do."""
        said = self._words(left)
        if said & _TELLING or re.search(r"\d", left):
            return True
        known = self._words(self.asked) | _IDLE
        for each in self.form.fields:
            known |= self._words(f"{each.name} {each.holder}".replace("_", " "))
        return bool(said - known)

    def _names_fields(self, left: str) -> bool:
        """Whether a constraint only says what is to be reported, which the form does too."""
        plain = _WHERE.sub(" ", left)
        if re.search(r"\d", plain) or not _REPORTS.match(plain):
            return False
        said = {statistic_in(each)[0] for each in re.split(r",|\band\b", _REPORTS.sub("", plain))}
        return "" not in said and said <= {statistic_in(e.name)[0] for e in self.form.fields}

    def _has_verdict(self) -> bool:
        return any(len(each.choices) > 1 for each in self.form.fields)

    @staticmethod
    def _words(text: str) -> set[str]:
        plain = re.sub(r"['\u2019]s?(?!\w)", "", text.lower())
        return set(re.findall(r"[a-z][a-z'-]*", plain))
