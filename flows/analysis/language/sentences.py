"""Takes what a person asks apart into its questions."""

from __future__ import annotations

import re

_STRONG = (
    r"how|which|what|who|whose|when|where|why|show|list|count|find|tell|give|describe|search|"
    r"compare|compute|calculate|look up"
)
_SENTENCE = re.compile(
    r"(?<=[?!;])\s+|(?<=[a-z0-9)\"']{3})\.\s+(?=[A-Z\"'])|\n+|;\s*"
    rf"|(?<=[a-z0-9)\"']{{3}})\.\s+(?=(?:{_STRONG}|average|total|median|is|are|the)\b)"
)
_JOINED = re.compile(
    rf"\s*,?\s+(?:and then|and also|and|then|but|also)\s+(?:please\s+|also\s+|then\s+)?(?=(?:in "
    rf"(?:which|what) |by how |(?:{_STRONG})\b))"
    rf"|\s*,\s+(?=(?:how|which|who|when|where)\s)"
    rf"|\s*,?\s+(?:and then|and also|and|then)\s+(?:please\s+|also\s+)?(?=(?:(?:plot|draw|"
    rf"visuali[sz]e)\s|(?:(?:make|create|give me|add)\s+)?(?:the |an? )?(?:histograms?|scatter[- ]?"
    rf"plots?|box[- ]?plots?|correlations?|correlation matrix|bar charts?|line charts?|outliers|"
    rf"linear regression|summary statistics)\s+(?:of|for|between|in|with|matrix)\s))",
    re.IGNORECASE,
)
_LEADING = re.compile(
    r"^(?:(?:and|then|also|but|so|first|firstly|second|secondly|third|next|finally|lastly|please|"
    r"afterwards|after that|now|can you|could you|would you|i want to know|i would like to know|"
    r"tell me(?! (?:more )?about)|let me know|answer|find out)\b[\s,:]*)+(?=\S)",
    re.IGNORECASE,
)


def split_goal(goal: str) -> tuple[str, ...]:
    """The questions of a goal in their order, without the words that only join them."""
    parts: list[str] = []
    for sentence in _SENTENCE.split(goal.strip()):
        for piece in _JOINED.split(sentence):
            text = _LEADING.sub("", piece.strip(" ,;")).strip(" ,;")
            if re.search(r"\w", text):
                parts.append(text[:1].upper() + text[1:])
    return tuple(dict.fromkeys(parts))
