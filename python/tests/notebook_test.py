"""Runs a notebook from top to bottom, in a folder of its own. With --save FILE keeps it with its outputs (but the
explorer's page, which is large).

    notebook_test.py NOTEBOOK [--save FILE]
"""

import os
import sys
import tempfile
from pathlib import Path

try:
    import nbformat
    from nbclient import NotebookClient
    import ipykernel  # noqa: F401
    import geopandas, matplotlib, pandas  # noqa: F401, E401
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)


def main(path, save=None):
    notebook = nbformat.read(path, as_version=4)
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert len(cells) >= 10, "the notebook lost its cells"
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_STATE_HOME"] = os.environ["XDG_CACHE_HOME"] = folder
        os.environ["JUPYTER_PLATFORM_DIRS"] = "1"
        os.environ.pop("MPLBACKEND", None)  # pictures go into the notebook
        NotebookClient(notebook, timeout=3000, kernel_name="python3",
                       resources={"metadata": {"path": folder}}).execute()
    texts = "".join(str(output) for cell in cells for output in cell.outputs)
    for word in ("<iframe", "image/png", "Answer("):
        assert word in texts, f"the notebook shows no {word}"
    if save is not None:
        for cell in cells:
            cell.outputs = [o for o in cell.outputs if len(str(o)) < 200_000 and "\r" not in o.get("text", "")]
            cell.metadata.pop("execution", None)
        nbformat.write(notebook, save)
    print(f"{Path(path).name}: {len(cells)} cells ran")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[3] if sys.argv[2:3] == ["--save"] else None)
