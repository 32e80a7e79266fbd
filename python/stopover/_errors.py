"""What can go wrong. One family, one class for each exit code of the command line, with the same texts."""

from __future__ import annotations


class Error(Exception):
    """Any failure of stopover. `str()` is what the command line prints after `error:`, with arguments instead of flags;
    `code` is its exit code; `field` names the argument that is wrong, where there is one."""

    code = 1
    field: str | None = None


class UsageError(Error, ValueError):
    """An argument has a bad value (exit code 2)."""

    code = 2


class InputError(Error, ValueError):
    """A file or table cannot be read or is not what it should be (exit code 3)."""

    code = 3


class RefusedError(Error):
    """Refused because the privacy guarantee would not hold, or the budget is used up (exit code 4)."""

    code = 4


class CheckFailedError(Error):
    """A release does not keep to its own rules (exit code 5)."""

    code = 5


class OutputExistsError(Error, FileExistsError):
    """The output is there already, and nothing is ever written over unasked (exit code 6)."""

    code = 6


class LockedError(Error):
    """Another process holds what this one needs, the ledger for example: the same call may work later (exit code 7)."""

    code = 7


class DiskFullError(Error, OSError):
    """There was no room to write (exit code 8)."""

    code = 8


class Interrupted(KeyboardInterrupt):
    """Ctrl-C was heard and the work has stopped at a safe place (exit code 130). A KeyboardInterrupt and no `Error`, so
    that `except Exception` does not swallow it."""

    code = 130
    field: str | None = None


def of_code(code: int, message: str, field: str = "") -> Error | Interrupted:
    for kind in (UsageError, InputError, RefusedError, CheckFailedError, OutputExistsError, LockedError, DiskFullError,
                 Interrupted):
        if kind.code == code:
            return _with_field(kind(message), field)
    return _with_field(Error(message), field)


def _with_field(error: Error | Interrupted, field: str) -> Error | Interrupted:
    error.field = field or None
    return error
