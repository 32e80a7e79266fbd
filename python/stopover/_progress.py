"""Waiting for a task: what it says goes to stderr, its phases to a line that vanishes; Ctrl-C, SIGTERM and SIGHUP stop
it at a safe place."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Union

from ._errors import Interrupted, UsageError

if TYPE_CHECKING:
    from ._core import Task

# True: show; False: do not; None: show on a screen or in a notebook, when it takes longer than a second; or a function
# of (phase, number, of how many).
Progress = Union[bool, None, Callable[[str, int, int], Any]]


class StopoverWarning(UserWarning):
    """What the command line prints after `warning:`."""


def _in_notebook() -> bool:
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    return type(shell).__name__ == "ZMQInteractiveShell"


def _on_screen() -> bool:
    return sys.stderr is not None and sys.stderr.isatty()


def _watched() -> bool:
    """Whether somebody sits before stderr: a terminal, or a notebook."""
    return _on_screen() or _in_notebook()


def _shows_private(when: str) -> bool:
    """As --private-notes of the command line: a terminal forgets, a log and a saved notebook keep what they are
    shown."""
    if when not in ("auto", "always", "never"):
        raise UsageError(f'private_notes must be "auto", "always" or "never", not {when!r}')
    return when == "always" or (when == "auto" and _on_screen() and not _in_notebook())


@contextmanager
def _hearing(task: Task) -> Iterator[None]:
    """While the task runs, SIGTERM and SIGHUP stop it at its next safe place, so that nothing private stays on disk,
    and then do what they always do. Only where the program that uses us has no handler of its own, and in the main
    thread."""
    came: list[int] = []

    def hear(number: int, _: Any) -> None:
        if came:
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)
        came.append(number)
        task.cancel()

    ours = []
    if threading.current_thread() is threading.main_thread():
        ours = [number for number in (signal.SIGTERM, signal.SIGHUP) if signal.getsignal(number) is signal.SIG_DFL]
    for number in ours:
        signal.signal(number, hear)
    try:
        yield
    finally:
        for number in ours:
            signal.signal(number, signal.SIG_DFL)
        if came:
            os.kill(os.getpid(), came[0])


class _Line:
    """tqdm's bar, also in notebooks, where tqdm is installed; else a line of our own."""

    def __init__(self) -> None:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # that a notebook has no widgets: then it is a line of text
                from tqdm.auto import tqdm
        except ImportError:
            tqdm = None
        self._tqdm = tqdm
        self._bar: Any = None
        self._own = False
        self._shown: tuple[str, int] = ("", 0)

    def show(self, phase: str, number: int, total: int, seconds: float) -> None:
        if (phase, int(2 * seconds)) == self._shown:
            return
        self._shown = (phase, int(2 * seconds))
        if self._tqdm is not None:
            if self._bar is None:
                layout = "{desc} |{bar}| {n_fmt}/{total_fmt} [{elapsed}]"
                self._bar = self._tqdm(total=total or None, leave=False,
                                       bar_format=layout if total else "{desc} [{elapsed}]")
            self._bar.total = total or None
            self._bar.n = max(0, number - 1)
            self._bar.set_description_str(phase, refresh=True)
        elif sys.stderr is not None and sys.stderr.isatty():
            place = f"[{number}/{total}] " if total else ""
            sys.stderr.write(f"\r\x1b[K{place}{phase}... {seconds:.0f} s")
            sys.stderr.flush()
            self._own = True

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None
        if self._own:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
            self._own = False


class _Ear:
    """What the task says, said on."""

    def __init__(self, quiet: bool, private: bool) -> None:
        self._quiet, self._private, self._told_hidden = quiet, private, False

    def tell(self, task: Task, line: _Line) -> None:
        for how, text in task.said():
            line.close()
            if how == "warning":
                warnings.warn(text, StopoverWarning, stacklevel=6)
            elif how == "private" and not self._private:
                # The same line whatever there is to tell; the task calls for it whatever the data are.
                if not self._quiet and not self._told_hidden:
                    print('note: private figures are hidden here; private_notes="always" shows them', file=sys.stderr)
                self._told_hidden = True
            elif not self._quiet and text:
                print(f"{how}: {text}", file=sys.stderr)


def finish(task: Task, progress: Progress = None, quiet: bool = False, private_notes: str = "auto") -> str:
    """The task's result; raises what went wrong."""
    ear = _Ear(quiet, _shows_private(private_notes))
    with _hearing(task):
        return _finish(task, progress, ear)


def _finish(task: Task, progress: Progress, ear: _Ear) -> str:
    if not (progress is None or isinstance(progress, bool) or callable(progress)):
        raise UsageError(f"progress must be True, False, None or a function, not {progress!r}")
    line, begun, stopping = _Line(), time.monotonic(), False
    if progress is None and not _watched():
        progress = False
    failure: BaseException | None = None
    while True:
        try:
            done = task.wait(0.02)
            ear.tell(task, line)
            now, phases = task.phase(), task.begun()
            seconds = time.monotonic() - begun
            if callable(progress):
                for phase in phases:
                    progress(*phase)
            elif now[0] and (progress or (progress is None and seconds > 1)):
                line.show("stopping after: " + now[0] if stopping else now[0], now[1], now[2], seconds)
            if done:
                break
        except KeyboardInterrupt:
            stopping = True
            task.cancel()
        except BaseException as error:
            # What a progress function or a warning filter raised: stop the work, then pass it on.
            failure = failure or error
            progress = False
            task.cancel()
    line.close()
    if failure is not None:
        raise failure
    result = task.result()
    if stopping:
        raise Interrupted("Ctrl-C came too late: the work was done, and what it wrote is there")
    return result
