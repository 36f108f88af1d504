"""Does with this client what `view-model-server conform` says, and tells what a user would see."""

import asyncio
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))

from view_model_client import ClientError, Event, ServerError, Snapshot, connect  # noqa: E402


class Driver:
    def __init__(self):
        self.client = None
        self.views = {}  # by their names: each a dictionary, with the `View` once there is one
        self.tasks = set()

    def show(self, name, opening):
        self.views[name] = {"events": [], "errors": [], "windows": {}, "view": None, "problem": None}
        self.start(self.follow(self.views[name], opening))

    def start(self, work):
        task = asyncio.ensure_future(work)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def do(self, command):
        """Does one thing, without waiting for what comes of it."""
        name, shown = command.get("view"), self.views.get(command.get("view"), {})
        view = shown.get("view")
        what = command["do"]
        if what == "connect":
            self.client = await connect(tcp=command["address"], reconnect=True)
        elif what == "open":
            self.show(name, self.client.open(command["viewModel"], command.get("arguments")))
        elif what == "attach":
            self.show(name, self.client.attach(command["key"]))
        elif what == "send":
            self.start(self.tell(shown, view.send(command["event"])))
        elif what == "back":
            self.start(self.tell(shown, view.back()))
        elif what == "detach":
            self.start(self.tell(shown, view.detach()))
        elif what == "close":
            self.start(self.tell(shown, view.end_session()))
        elif what == "show":
            shown["windows"][command["list"]] = (command["first"], command["count"])
            view.list(command["list"]).show(command["first"], command["count"])
        elif what == "select":
            view.list(command["list"]).select(command["index"])
        elif what == "leave":
            await self.client.close()
        elif what == "look":
            return {"views": {name: self.look(shown) for name, shown in self.views.items()}}
        else:
            return {"lacks": what}
        return {}

    async def follow(self, shown, opening):
        try:
            view = shown["view"] = await opening
        except ClientError as error:
            shown["problem"] = str(error)
            return
        async for one in view.notifications():
            if isinstance(one, Snapshot):
                shown["events"] = list(one.events)
            elif isinstance(one, Event):
                shown["events"].append(one.event)
            for child in self.over(view):
                if child not in self.views:
                    self.show(child, self.client.attach(child))

    def over(self, view):
        return [child.key for child in (*view.stack, view.presented) if child]

    async def tell(self, shown, doing):
        try:
            await doing
        except ServerError as error:
            shown["errors"].append(error.refused or str(error))
        except ClientError:
            pass  # The view has ended, and `dropped` has the event.

    def look(self, shown):
        view = shown["view"]
        if view is None:
            return {"state": "ended" if shown["problem"] else "old", "reason": shown["problem"], "events": []}
        is_current = self.client.is_connected and not self.client.is_silent
        return {
            "state": "ended" if view.reason else "shown" if is_current else "old", "reason": view.reason,
            "key": view.key, "events": shown["events"], "waiting": [*view.sent, *view.pending],
            "dropped": [{"event": one.event, "wasSent": one.was_sent} for one in view.dropped],
            "errors": shown["errors"], "stall": view.stall, "over": self.over(view), "seq": view.seq,
            "lists": {name: self.rows(view.list(name), *window) for name, window in shown["windows"].items()},
        }

    def rows(self, rows, first, count):
        shown = [rows.row(first + offset) for offset in range(count)]
        return {"count": len(rows), "first": first, "rows": shown, "selected": rows.selected_index}


async def main(address):
    host, port = address.rsplit(":", 1)
    reader, writer = await asyncio.open_connection(host, int(port))
    driver = Driver()
    async for line in reader:
        writer.write(json.dumps(await driver.do(json.loads(line))).encode() + b"\n")


asyncio.run(main(sys.argv[1]))
