"""What a chat model is told when it compares the sentences of an answer with the passages they cite."""

from __future__ import annotations

from lens_lsp.judge.claims import Reason
from lens_lsp.judge.llm.schemas import Schema

VERIFY = """\
{passages}
[{nonce} end]

The question was: {question}
Sentences of an answer, each with the numbers of the passages it cites:
{sentences}

Which of these sentences say what their passages, read together with file names and headings, do not state? Other \
words for the same are right, so is what the question says itself, what follows from what is stated, and what leaves \
details out. Wrong is another number, unit, date or name, the opposite, a claim that goes further than the passage (a \
condition, an exception, "some" or "usually" left off; "all", "only" or "must" added), and anything else that they do \
not state. Reply with one JSON object; "wrong" is [] if all are right:
{{"wrong": [{{"sentence": 1, "words": "the wrong words of the sentence, copied", "reason": "number, unit, date, name, \
negation, limit or meaning"}}]}}"""

SCHEMA: Schema = {
    "type": "object",
    "properties": {
        "wrong": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "sentence": {"type": "integer"},
                    "words": {"type": "string"},
                    "reason": {"type": "string", "enum": [reason.value for reason in Reason]},
                },
                "required": ["sentence", "words", "reason"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["wrong"],
    "additionalProperties": False,
}
