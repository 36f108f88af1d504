/// The file `view_models.py`: the types of arguments and events for clients in Python 3.9 and newer.
///
/// The file needs nothing but Python's standard library.
package struct PythonFile {
    package static let name = "view_models.py"

    package let text: String

    package init(_ contracts: [ViewModelContract]) {
        var source = SourceText(indentation: "    ")
        source.lines(Self.head.split(separator: "\n", omittingEmptySubsequences: false))
        var names = SourceNames(reserved: PythonTypes.reserved)
        let namespaces = contracts.map { PythonNamespace($0, name: names.type($0.name)) }
        for namespace in namespaces {
            source.blankLines()
            namespace.write(into: &source)
        }
        source.blankLines()
        Self.writeReaders(of: namespaces, into: &source)
        source.blankLines()
        Self.writeClient(namespaces, into: &source)
        text = source.text
    }

    /// Writes the table of the functions that read events, by view model.
    private static func writeReaders(of namespaces: [PythonNamespace], into source: inout SourceText) {
        source.line("VIEW_MODEL_EVENTS: Dict[str, Callable[[Any], Any]] = {")
        source.indented { source in
            for namespace in namespaces {
                let name = SourceLiteral.quoted(namespace.contract.name)
                source.line("\(name): \(namespace.name).\(PythonNamespace.viewModelEventReader),")
            }
        }
        source.line("}")
        source.pythonComment("What reads a view model's events, by its name: give it to the client.")
    }

    private static func writeClient(_ namespaces: [PythonNamespace], into source: inout SourceText) {
        source.lines(view.split(separator: "\n", omittingEmptySubsequences: false))
        source.blankLines()
        source.line("class Client(Protocol):")
        source.indented { source in
            source.pythonComment("A connection to the server.")
            let openable = namespaces.filter(\.contract.canBeOpened)
            for namespace in openable {
                source.line()
                // Python demands at least two overloads.
                if openable.count > 1 { source.line("@overload") }
                let name = namespace.name
                let arguments = namespace.argumentsParameter.map { ", \($0)" } ?? ""
                source.line("async def open(")
                source.indented {
                    $0.line("self, view_model: Literal[\(SourceLiteral.quoted(namespace.contract.name))]\(arguments)")
                }
                source.line(") -> View[\(name).ViewEvent, \(name).ViewModelEvent]: ...")
            }
            source.line()
            source.line("async def attach(self, key: str) -> View[Any, Any]:")
            source.indented { source in
                source.pythonComment(
                    "Shows a session that runs, such as one that a view model has pushed: `OrderDetails.view` gives it types."
                )
                source.line("...")
            }
            source.line()
            source.line("async def close(self) -> None: ...")
        }
    }

    private static let view = #"""
        _Sent = TypeVar("_Sent", contravariant=True)
        _Received = TypeVar("_Received", covariant=True)
        _Row = TypeVar("_Row", covariant=True)


        class Child(Protocol):
            """A session that a view model shows: `Client.attach` takes its key."""

            @property
            def view_model(self) -> str: ...

            @property
            def key(self) -> str: ...


        class RowList(Protocol[_Row]):
            """A list of a view model; the class `Lists` of the view model says what its rows are."""

            @property
            def name(self) -> str: ...

            @property
            def count(self) -> int: ...

            @property
            def selected_id(self) -> Any: ...

            @property
            def selected_index(self) -> Optional[int]: ...

            def __len__(self) -> int: ...

            def row(self, index: int) -> Optional[_Row]:
                """The row, or None while it isn't there."""
                ...

            async def rows(self, first: int, count: int) -> Sequence[_Row]:
                """The rows from `first` on, so many of them or as many as there are."""
                ...

            def __aiter__(self) -> AsyncIterator[_Row]:
                """All rows, by pages."""
                ...

            def show(self, first: int, count: int) -> None:
                """Has these rows here from now on, and as many before and behind them."""
                ...

            def on_change(self, listener: Callable[[Any], None]) -> Callable[[], None]:
                """Calls `listener` with each change, until the function that this returns is called."""
                ...

            def select(self, index: int) -> None: ...

            def select_id(self, id: Any) -> None: ...

            def deselect(self) -> None: ...


        class View(Protocol[_Sent, _Received]):
            """A view model as a client sees it. `async with` leaves it, and its session goes on."""

            @property
            def view_model(self) -> str: ...

            @property
            def key(self) -> str:
                """By which any client may attach to the session."""
                ...

            @property
            def seq(self) -> int:
                """The number of the newest notification."""
                ...

            @property
            def stack(self) -> Sequence[Child]:
                """The pushed children of this session, the bottom first."""
                ...

            @property
            def presented(self) -> Optional[Child]:
                """The child that is presented over this session."""
                ...

            @property
            def pending(self) -> Sequence[Any]:
                """The events that wait to be sent."""
                ...

            @property
            def sent(self) -> Sequence[Any]:
                """The event that was sent and isn't answered, if any."""
                ...

            @property
            def dropped(self) -> Sequence[Any]:
                """The events that weren't answered before the view ended, in their order."""
                ...

            @property
            def reason(self) -> Optional[str]:
                """Why the view ended; None until then."""
                ...

            async def __aenter__(self) -> View[_Sent, _Received]: ...

            async def __aexit__(self, *_: object) -> None: ...

            async def send(self, event: _Sent) -> None:
                """Returns when the view model has handled it, and all that it said meanwhile has come."""
                ...

            def __aiter__(self) -> AsyncIterator[_Received]:
                """What the view model says from now on, in order, until the view is closed."""
                ...

            def received(self) -> Sequence[_Received]:
                """What the view model has said and nobody has read yet, without waiting."""
                ...

            def navigation_events(self) -> AsyncIterator[Any]:
                """Children that are pushed, presented and taken off again, until the view is closed."""
                ...

            def list(self, name: str, *, read: Callable[[Any], _T], id: Optional[str] = None) -> RowList[_T]:
                """A list of the view model, whose rows `read` makes of their JSON: the `from_json` of their class."""
                ...

            async def back(self) -> None:
                """Leaves this session, as with a back button, if its view model lets go."""
                ...

            async def detach(self) -> None:
                """Ends this view; the session goes on for others."""
                ...

            async def end_session(self) -> None:
                """Ends the session for everyone, and removes what is stored of it."""
                ...
        """#
}

extension SourceText {
    /// Adds the two empty lines between classes.
    mutating func blankLines() {
        line()
        line()
    }

    /// Adds a docstring, unless the description is missing or empty.
    package mutating func pythonComment(_ description: String?) {
        guard let description, !description.isEmpty else { return }
        let lines = Self.comment(description, width: room - 6).map { line in
            Self.escaped(line) { $1 == "\\" || $0 == "\"" && $1 == "\"" }
        }
        guard lines.count > 1 || lines[0].hasSuffix("\"") else { return line("\"\"\"\(lines[0])\"\"\"") }
        line("\"\"\"\(lines[0])")
        self.lines(lines.dropFirst())
        line("\"\"\"")
    }
}
