"""The program stopover: where it is, and what this plugin lets it do. It reads what is public; nothing is published."""
import json
import os
import shutil
import subprocess

from qgis.core import QgsProcessingException, QgsSettings

ALLOWED = ("export", "info", "query")
SETTING = "stopover/program"


def path():
    """STOPOVER_PROGRAM, the setting stopover/program, or what the PATH has."""
    for named in (os.environ.get("STOPOVER_PROGRAM"), QgsSettings().value(SETTING), shutil.which("stopover")):
        if named and os.access(named, os.X_OK):
            return named
    raise QgsProcessingException(
        "The program stopover was not found. Install its package or its wheel, or set STOPOVER_PROGRAM or the "
        f"setting {SETTING} to its path.")


def run(*words, feedback=None):
    """What it prints, as JSON has it. Its errors are the algorithm's."""
    if words[0] not in ALLOWED:
        raise QgsProcessingException(f"{words[0]} is not for this plugin: it only reads releases")
    command = [path(), *map(str, words), "--json"]
    if feedback is not None:
        feedback.pushCommandInfo(" ".join(command))
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, encoding="utf-8")
    if done.returncode != 0:
        raise QgsProcessingException(message_of(done.stderr))
    for line in done.stderr.splitlines():
        if feedback is not None and line.startswith(("note:", "warning:")):
            feedback.pushWarning(line)
    return json.loads(done.stdout)


def message_of(stderr):
    lines = stderr.strip().splitlines()
    try:
        error = json.loads(lines[-1])["error"]
    except (IndexError, ValueError, KeyError):
        return stderr.strip() or "stopover failed without a word"
    return "\n".join(filter(None, (error["message"], error.get("hint"))))
