"""The page of the tools for agents, from the types that check what they take and give."""

from __future__ import annotations

from typing import Any

from protocol_reference import table

from lens_lsp.mcp.agent_server import TOOLS

HEAD = """\
# Tools for agents

Made from the program by `python docs/generate_reference.py`; a test fails when the two differ. How an agent gets them
is told in [agents](../how-to/agents.md). All are read-only. Each gives its result twice: as structured content, by the
types below, and as text that says the same. Clients get all of this as JSON schemas by `tools/list`.

An argument that a tool does not know is refused, but for the keys of a citation that a check does not need. Lines count
from 1, spans from 0 in code points.
"""


def tools_page() -> str:
    """The page."""
    types: dict[str, Any] = {}
    parts = [HEAD]
    for tool in TOOLS.values():
        told = tool.listing()
        takes, gives = dict(told.input_schema), dict(told.output_schema or {})
        types |= takes.get("$defs", {}) | gives.get("$defs", {})
        parts += [
            f"## {tool.name}\n",
            f"{tool.description}\n",
            table("Takes", _titled(takes)),
            table("Gives", _titled(gives)),
        ]
    return "\n".join([*parts, "## Types\n", *(table(name, types[name]) for name in sorted(types))])


def _titled(schema: dict[str, Any]) -> dict[str, Any]:
    """A schema whose title is said by the page."""
    return {**schema, "description": schema["description"].replace("`", "``")}
