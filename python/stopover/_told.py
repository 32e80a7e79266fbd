"""Reports that show themselves as the command line does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class Told(Mapping[str, Any]):
    """A report: a mapping (what --json prints) that shows itself as the command line does."""

    def __init__(self, data: Mapping[str, Any], text: str) -> None:
        self._data, self._text = data, text

    def __getitem__(self, name: str) -> Any:
        return self._data[name]

    def __iter__(self) -> Any:
        return iter(self._data)

    def __len__(self) -> int:
        return len(self._data)

    def __repr__(self) -> str:
        return self._text
