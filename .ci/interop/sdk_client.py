"""Drives mnote-host with the official Python SDK, version 1 or 2: reads one
operation a line, answers with one line (sdk.go says what there is)."""
import asyncio
import contextlib
import json
import os
import sys

from mcp import ClientSession, StdioServerParameters, stdio_client, types

setup = json.loads(os.environ["SDK_SETUP"])
TWO = setup["sdk"] == "py2"
heard = []


async def elicit(*_):
    if setup["elicit"] == "silent":  # version 1 reads nothing meanwhile: then a yes that comes too late
        await asyncio.sleep(125)
        return types.ElicitResult(action="accept", content={})
    return types.ElicitResult(action=setup["elicit"], content={} if setup["elicit"] == "accept" else None)


async def on_message(message):
    root = getattr(message, "root", message)
    if isinstance(root, types.ToolListChangedNotification):
        heard.append("tools")


async def follow(subscription):
    async for _ in subscription:
        heard.append("tools")


@contextlib.asynccontextmanager
async def connected():
    server = StdioServerParameters(command=setup["command"], args=setup["args"], env=setup["env"])
    asks = None if setup["elicit"] == "none" else elicit
    if TWO:
        from mcp import Client

        mode = "2026-07-28" if setup["era"] == "modern" else "legacy"
        async with Client(server, mode=mode, elicitation_callback=asks, message_handler=on_message) as client:
            if setup["era"] == "legacy":
                yield client
                return
            async with client.listen(tools_list_changed=True) as subscription:
                task = asyncio.create_task(follow(subscription))
                yield client
                task.cancel()
        return
    async with stdio_client(server) as (r, w), ClientSession(r, w, elicitation_callback=asks, message_handler=on_message) as client:
        await client.initialize()
        yield client


async def listed(c, o):
    how = {"tools": "list_tools", "resources": "list_resources", "templates": "list_resource_templates", "prompts": "list_prompts"}
    cursor = {} if not o.get("cursor") else {"cursor": o["cursor"]} if TWO else {"params": types.PaginatedRequestParams(cursor=o["cursor"])}
    r = (await getattr(c, how[o["what"]])(**cursor)).model_dump(mode="json", by_alias=True)
    if o["what"] == "resources":
        return [x["uri"] for x in r["resources"]]
    if o["what"] == "templates":
        return [x["uriTemplate"] for x in r["resourceTemplates"]]
    return [x["name"] for x in r[o["what"]]]


async def call(c, o):
    beats = 0

    async def beat(*_):
        nonlocal beats
        beats += 1

    task = asyncio.create_task(c.call_tool(o["name"], o["args"], progress_callback=beat))
    if o.get("cancelAfter"):
        await asyncio.sleep(o["cancelAfter"] / 1000)
        if not TWO:  # which tells its server nothing when a call is given up: its user must
            last = c._request_id - 1
            gone = types.CancelledNotification(params=types.CancelledNotificationParams(requestId=last, reason="the user left"))
            await c.send_notification(types.ClientNotification(gone))
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
        return {"cancelled": True, "beats": beats}
    r = (await task).model_dump(mode="json", by_alias=True)
    return {"text": r["content"][0]["text"], "isError": bool(r.get("isError")), "beats": beats}


async def read(c, o):
    return (await c.read_resource(o["uri"])).contents[0].text


async def prompt(c, o):
    return (await c.get_prompt(o["name"])).messages[0].content.text


async def complete(c, o):
    ref = types.ResourceTemplateReference(type="ref/resource", uri=o["uri"])
    return (await c.complete(ref, {"name": o["argument"], "value": o["value"]})).completion.values


async def what_was_heard(*_):
    return heard


operations = {"list": listed, "call": call, "read": read, "prompt": prompt, "complete": complete, "heard": what_was_heard}


async def main():
    async with connected() as client:
        while line := await asyncio.to_thread(sys.stdin.readline):
            o = json.loads(line)
            try:
                out = {"ok": await operations[o["op"]](client, o)}
            except Exception as e:
                error = getattr(e, "error", None)
                out = {"error": {"code": getattr(error, "code", 0), "message": str(e)}}
            print(json.dumps(out), flush=True)


asyncio.run(main())
