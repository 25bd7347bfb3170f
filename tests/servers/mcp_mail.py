"""A real MCP server for tests: `python mcp_mail.py [PORT]`, on standard input or on a port.

What its first tool says of itself is in the variable MAIL_TEXT; MAIL_MORE=1 makes a tool more.
"""

from __future__ import annotations

import os
import sys
import time
from typing import Any

from mcp.server.mcpserver import Context, Image, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import ToolAnnotations

PICTURE = b"\x89PNG\r\n\x1a\n" + b"\x00" * 100
TEXT = "Send a letter to an address."
server = MCPServer("mail")


@server.tool(description=os.environ.get("MAIL_TEXT", TEXT))
def send_letter(to: str, text: str, copies: int = 1) -> dict[str, Any]:
    return {"sent": to, "characters": len(text), "copies": copies}


@server.tool(annotations=ToolAnnotations(read_only_hint=True))
def letters(state: str = "all") -> list[dict[str, Any]]:
    """The letters that were received."""
    return [{"number": number, "state": state} for number in range(3)]


@server.tool()
def environment() -> str:
    """The names of the environment's variables, and its secret."""
    return " ".join([*sorted(os.environ), os.environ.get("MAIL_TOKEN", "")])


@server.tool()
def stamp() -> Image:
    """A picture of a stamp."""
    return Image(data=PICTURE, format="png")


@server.tool()
def lose(letter: str) -> str:
    """Lose a letter."""
    raise ToolError(f"the letter {letter} is lost")


@server.tool()
def wait(seconds: float) -> str:
    """Wait for so many seconds."""
    time.sleep(seconds)
    return "waited"


@server.tool()
def leave() -> str:
    """End the server at once."""
    print("the post office is closed", file=sys.stderr, flush=True)
    os._exit(3)


@server.tool()
async def open_branch(town: str, context: Context) -> str:
    """Open a branch of the post office, which has a tool of its own."""
    server.add_tool(letters, name=f"letters_in_{town}", description=f"The letters in {town}.")
    await context.notify_tools_changed()
    return "opened"


if os.environ.get("MAIL_MORE") == "1":

    @server.tool()
    def burn_letters() -> str:
        """Burn all letters."""
        return "burnt"


if __name__ == "__main__":
    if sys.argv[1:]:
        server.run("streamable-http", port=int(sys.argv[1]))
    else:
        server.run("stdio")
