extension PythonFile {
    /// The beginning of the file: imports, errors, and the functions that readers are made of.
    static let head = #"""
        """What the view models of this server and their clients say to each other.

        Made by the server's command `contract --python`: what is changed by hand is lost.

        A class for each view model holds its types. `to_json` makes what goes over the wire, as the `json` module
        takes it, and `from_json` and the functions `read_…` take what came. Members that they don't know they pass
        over. Times are strings by RFC 3339, bytes are strings in base64, URLs and UUIDs are strings, and keys of
        dictionaries are strings, as they are on the wire.
        """

        from __future__ import annotations

        from dataclasses import dataclass
        from typing import (
            Any,
            AsyncIterator,
            Callable,
            ClassVar,
            Dict,
            Literal,
            Mapping,
            NoReturn,
            Optional,
            Protocol,
            Sequence,
            Tuple,
            TypedDict,
            TypeVar,
            Union,
            overload,
        )


        class UnexpectedJSON(ValueError):
            """What came is not what these types say. `path` leads to it, as in `value[3].name`."""

            def __init__(self, reason: str, path: str = "") -> None:
                super().__init__(f"{path}: {reason}" if path else reason)
                self.reason = reason
                self.path = path

            def inside(self, step: str) -> UnexpectedJSON:
                """The same, of what this is a part of."""
                separator = "." if self.path and not self.path.startswith("[") else ""
                return type(self)(self.reason, step + separator + self.path)


        class UnknownCase(UnexpectedJSON):
            """A kind of event, or a case in one, that these types don't know yet: pass over the event."""


        _T = TypeVar("_T")


        def _inside(step: str, read: Callable[[Any], _T], json: Any) -> _T:
            try:
                return read(json)
            except UnexpectedJSON as error:
                raise error.inside(step) from None


        def _members(json: Any) -> Mapping[str, Any]:
            if isinstance(json, dict):
                return json
            raise UnexpectedJSON(f"is no object: {json!r}")


        def _member(members: Mapping[str, Any], name: str, read: Callable[[Any], _T]) -> _T:
            if name not in members:
                raise UnexpectedJSON("is missing", name)
            return _inside(name, read, members[name])


        def _optional(members: Mapping[str, Any], name: str, read: Callable[[Any], _T]) -> Optional[_T]:
            value = members.get(name)
            return None if value is None else _inside(name, read, value)


        def _case(json: Any, *names: str) -> str:
            members = _members(json)
            known = [name for name in names if name in members]
            if len(known) > 1:
                raise UnexpectedJSON(f"is more than one case: {known!r}")
            return (known or list(members) or [""])[0]


        def _kind(json: Any) -> str:
            return _member(_members(json), "kind", _string)


        def _event(json: Any, kind: str) -> Mapping[str, Any]:
            if _kind(json) != kind:
                raise UnexpectedJSON(f"is not {kind!r}", "kind")
            return _members(json)


        def _view(view: View[Any, Any], view_model: str) -> View[Any, Any]:
            if view.view_model != view_model:
                raise UnexpectedJSON(f"is a view of {view.view_model!r}, not of {view_model!r}")
            return view


        def _anything(json: Any) -> Any:
            return json


        def _nothing(json: Any) -> NoReturn:
            raise UnexpectedJSON("should not be there")


        def _boolean(json: Any) -> bool:
            if isinstance(json, bool):
                return json
            raise UnexpectedJSON(f"is no boolean: {json!r}")


        def _integer(json: Any) -> int:
            if isinstance(json, int) and not isinstance(json, bool):
                return json
            raise UnexpectedJSON(f"is no whole number: {json!r}")


        def _number(json: Any) -> float:
            # Kept as the json module made it: whole numbers, and decimal.Decimal where it is asked for.
            if isinstance(json, bool) or not hasattr(json, "__float__"):
                raise UnexpectedJSON(f"is no number: {json!r}")
            number: float = json
            return number


        def _string(json: Any) -> str:
            if isinstance(json, str):
                return json
            raise UnexpectedJSON(f"is no string: {json!r}")


        def _one_of(*values: Any) -> Callable[[Any], Any]:
            def read(json: Any) -> Any:
                for value in values:
                    if json == value and type(json) is type(value):
                        return json
                raise UnknownCase(f"is a value that is not known: {json!r}")

            return read


        def _nullable(read: Callable[[Any], _T]) -> Callable[[Any], Optional[_T]]:
            return lambda json: None if json is None else read(json)


        def _array(read: Callable[[Any], _T]) -> Callable[[Any], Sequence[_T]]:
            def read_all(json: Any) -> Sequence[_T]:
                if not isinstance(json, list):
                    raise UnexpectedJSON(f"is no array: {json!r}")
                return [_inside(f"[{index}]", read, element) for index, element in enumerate(json)]

            return read_all


        def _element(json: Any, index: int, read: Callable[[Any], _T]) -> _T:
            if not isinstance(json, list) or len(json) <= index:
                raise UnexpectedJSON(f"is no array with an element {index}: {json!r}")
            return _inside(f"[{index}]", read, json[index])


        def _dictionary(read: Callable[[Any], _T]) -> Callable[[Any], Mapping[str, _T]]:
            return lambda json: {name: _inside(f"[{name!r}]", read, value) for name, value in _members(json).items()}


        def _json(value: Any) -> Any:
            if hasattr(value, "to_json"):
                return value.to_json()
            if isinstance(value, Mapping):
                return {name: _json(element) for name, element in value.items()}
            if isinstance(value, Sequence) and not isinstance(value, str):
                return [_json(element) for element in value]
            return value
        """#
}
