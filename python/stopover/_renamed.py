"""Arguments that are called otherwise now: the old name goes on working, with a warning."""

from __future__ import annotations

import functools
import warnings
from typing import Any, Callable, TypeVar, cast

F = TypeVar("F", bound=Callable[..., Any])


def renamed(**names: str) -> Callable[[F], F]:
    """`@renamed(parts="tiles")`: a caller who writes parts=8 is heard as tiles=8."""
    def of(function: F) -> F:
        @functools.wraps(function)
        def called(*args: Any, **given: Any) -> Any:
            for old, new in names.items():
                if old not in given:
                    continue
                if new in given:
                    raise TypeError(f"{function.__name__}() got both {old}= and {new}=, which are the same")
                warnings.warn(f"{old}= is called {new}= now", DeprecationWarning, stacklevel=2)
                given[new] = given.pop(old)
            return function(*args, **given)
        return cast(F, called)
    return of
