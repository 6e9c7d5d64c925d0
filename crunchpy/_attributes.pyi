from typing import Any, overload

class Attributes:
    def __init__(
        self, body: bytes, low: bytes, names: list[bytes], starts: list[int], start_ends: list[int]
    ) -> None: ...
    @overload
    def of(self, name: bytes) -> list[tuple[int, str | None]]: ...
    @overload
    def of(self, name: bytes, elements: list[Any]) -> list[tuple[int, Any, str]]: ...
