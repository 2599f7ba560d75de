"""Drives the MCP client of the real Hermes from its own config.yaml.

Reads one JSON object a line from standard input, {"tool", "args"}, and prints
one a line: what Hermes would show its model. The first line printed lists the
registered tools.
"""

import json
import os
import sys

out = os.fdopen(os.dup(1), "w")  # Hermes may print on stdout
os.dup2(2, 1)


def say(value):
    out.write(json.dumps(value) + "\n")
    out.flush()


def main():
    from tools import mcp_tool
    from tools.registry import registry

    say({"tools": mcp_tool.discover_mcp_tools(), "status": mcp_tool.get_mcp_status()})
    for line in sys.stdin:
        call = json.loads(line)
        say({"shown": registry.dispatch(call["tool"], call["args"], task_id="t", session_id="s")})
    mcp_tool.shutdown_mcp_servers()


main()
