"""Which view a view model gets: by its type, and by what the user says."""

from .stage import Stage, command, said

ORDERS_OF_EXAMPLES = {"orders": "Examples.OrdersViewModel"}
ONE_ORDER = {"kind": "orders", "count": 1}


def own_views(editor):
    """A view of the user's own, which the README has as its example."""
    with Stage(editor) as stage:
        terminal = stage.start(settings=editor.example(editor.address))
        command(terminal, ":ViewModel counter")
        terminal.shows("Count: 0", "+ one more")
        terminal.press("+", "+")
        terminal.shows("Count: 2")
        terminal.shows_no("Last events")
        said("the example of the README shows the counter of the examples")
    with Stage(editor) as stage:
        shop = stage.shop()
        terminal = stage.start(settings=editor.example(shop.address))
        command(terminal, ":ViewModel counter")
        terminal.shows("people", "dogs", "Last events")
        terminal.shows_no("Count:")
        said("and not that of another server")
    with Stage(editor) as stage:
        fake = stage.fake({}, {"counter": [{"kind": "count", "value": 7}]})
        by_name = editor.example(fake.address).replace("Examples.CounterViewModel", "counter")
        terminal = stage.start(settings=by_name)
        command(terminal, ":ViewModel counter")
        terminal.shows("Count: 7")
        said("by its name, it shows any counter, also of a server that tells no types")
    with Stage(editor) as stage:
        fake = stage.fake({}, {"orders": [ONE_ORDER]}, ORDERS_OF_EXAMPLES)
        own = editor.example(fake.address).replace("Examples.CounterViewModel", "Examples.OrdersViewModel")
        terminal = stage.start(settings=own)
        command(terminal, ":ViewModel orders")
        terminal.shows("Count: 0")
        terminal.shows_no("Order #1")
        said("the user's view goes before the one that comes with the plugin")


def failing_views(editor):
    """A view of the user's own that doesn't work."""
    with Stage(editor) as stage:
        terminal = stage.start(settings=editor.failing(editor.address))
        command(terminal, ":ViewModel counter")
        terminal.shows("the view fails: ", "no such thing")
        terminal.press("q")
        terminal.shows_no("the view fails")
        said("its error is said, and it can be left")


def other_servers(editor):
    """A server with names of the examples and contracts of its own."""
    with Stage(editor) as stage:
        terminal = stage.start(address=stage.shop().address)
        command(terminal, ":ViewModel orders")
        terminal.shows("customer", "Ada", "Last events")
        terminal.shows_no("loadOrders")
        terminal.shows_no("Orders: ")
        said("its orders are shown by their events, and are asked for nothing that they don't know")
        terminal.press("s")
        terminal.shows("refresh", "pick")
        editor.choose(terminal, 2)
        terminal.shows("number (integer):")
        terminal.type("4712")
        terminal.press("Enter")
        terminal.shows("title", "Grace", "Last events")
        terminal.shows_no("Cancelled:")
        said("and so is a child, which can't be opened")
        terminal.press("q")
        terminal.shows("Ada")
    with Stage(editor) as stage:
        fake = stage.fake({}, {"orders": [ONE_ORDER]})
        terminal = stage.start(address=fake.address)
        command(terminal, ":ViewModel orders")
        terminal.shows_line('orders  {"count": 1}', "Last events")
        terminal.shows_no("Orders: 1")
        said("a name alone is no reason to take it for the examples' orders")


def unknown_kinds(editor):
    """Events of kinds that a view doesn't know."""
    with Stage(editor) as stage:
        weather = {"kind": "weather", "value": "rain", "id": 1}
        fake = stage.fake({}, {"orders": [ONE_ORDER, weather]}, ORDERS_OF_EXAMPLES)
        fake.lists = {"orders": [{"id": 1, "name": "Order #1"}]}
        terminal = stage.start(address=fake.address)
        command(terminal, ":ViewModel orders")
        terminal.shows_line("Orders: 1", "Order #1")
        terminal.shows_no("rain")
        fake.tell("viewModel/event", 1, event={"kind": "cancelled", "id": 1})
        terminal.shows_line("Order #1  cancelled")
        terminal.shows_no("fails")
        said("they change nothing")
