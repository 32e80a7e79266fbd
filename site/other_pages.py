"""Pages that are not Markdown: the notebook, the C header, the commands, the server's description, sources."""
import base64
import html
import json
import re
import subprocess
import urllib.request

from markdown_page import Page, code_block, slug
from tree import ROOT, place_of

GUIDE, INTERNALS = "docs/guide", "docs/internals"  # where pages stand that are made here, for their links


def notebook(path, pictures):
    """A notebook with what it printed when it was last run. Pictures go into `pictures`: name to bytes."""
    cells = json.loads((ROOT / path).read_text(encoding="utf-8"))["cells"]
    parts = []
    for k, cell in enumerate(cells):
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
            continue
        parts.append("    " + source.replace("\n", "\n    "))
        for n, output in enumerate(cell.get("outputs", [])):
            data = output.get("data", {})
            if "image/png" in data:
                name = f"{GUIDE}/tutorial_{k}_{n}.png"
                pictures[name] = base64.b64decode("".join(data["image/png"]))
                parts.append(f"![what the cell above draws](tutorial_{k}_{n}.png)")
            elif text := "".join(output.get("text", data.get("text/plain", []))).rstrip():
                parts.append("It prints:\n\n    " + text.replace("\n", "\n    "))
    return Page(path, "\n\n".join(parts))


def header(path):
    """stopover.h: comments as text, declarations as code, a heading for each part that its comments mark."""
    text = (ROOT / path).read_text(encoding="utf-8")
    parts = ["# stopover.h: the C functions", f"    #include <{path.removeprefix('include/')}>"]
    for comment, code in re.findall(r"/\*(.*?)\*/|((?:(?!/\*).)+)", text, re.S):
        if code.strip():
            lines = [line for line in code.strip().splitlines() if not line.startswith("#") and line.strip()]
            lines = [line for line in lines if line not in ('extern "C" {', "}")]
            if lines:
                parts.append("    " + "\n    ".join(lines))
        elif marked := re.fullmatch(r"\s*-+ (.*?) -+\s*", comment):
            parts.append("## " + marked.group(1).capitalize())
        elif "Licensed" not in comment:
            lines = [re.sub(r"^ ?\* ?", "", line) for line in comment.strip().splitlines()]
            parts.append("\n".join("  " + line if line.startswith("  ") else line for line in lines))
    return Page(path, "\n\n".join(parts))


def commands(program):
    """What `help` prints, for every command."""
    def printed(*words):
        return subprocess.run([program, "--color", "never", *words], capture_output=True, text=True, check=True).stdout

    all_of_them = printed("help")
    names = [line.split()[0] for line in all_of_them.split("Commands\n")[1].split("\n\n")[0].splitlines()
             if line[2] != " "]
    parts = ["# Commands", "    stopover help COMMAND", "What the program prints; [the command line](../guide/cli.md) "
             "has what the commands share: exit codes, streams, settings in a file."]
    for name in names:
        parts += [f"## {name}", "    " + printed("help", name).rstrip().replace("\n", "\n    ")]
    parts += ["## All of them", "    " + all_of_them.rstrip().replace("\n", "\n    ")]
    return Page(f"{INTERNALS}/commands.html", "\n\n".join(parts), "reference/commands.html")


def description_of(program, release):
    """GET /api/openapi.json of a server that is started for this question alone."""
    server = subprocess.Popen([program, "serve", release, "--port", "0", "--json"], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)
    try:
        said = ""
        for line in server.stdout:
            said += line
            if found := re.search(r"http://127\.0\.0\.1:\d+", said):
                break
        with urllib.request.urlopen(found.group(0) + "/api/openapi.json", timeout=30) as answer:
            return json.load(answer)
    finally:
        server.terminate()
        server.wait()


def http(description):
    """The server's description for people; programs take the JSON itself."""
    parts = ["# HTTP and JSON", "    stopover serve city.odr",
             f"{description['info'].get('description', description['info']['title'])}",
             "The same as JSON for programs (OpenAPI " + description["openapi"] + "): [openapi.json](OPENAPI). Questions "
             "are those of [answers](../guide/answers.md#the-question-as-json)."]
    for path, methods in description["paths"].items():
        for method, about in methods.items():
            parts.append(f"## {method.upper()} {path}")
            parts.append(about.get("summary", "") + "\n\n" + about.get("description", ""))
            rows = [(p["name"], p["in"], p.get("description", "")) for p in about.get("parameters", []) if "name" in p]
            if rows:
                parts.append("| name | where | what |\n|---|---|---|\n"
                             + "\n".join("| `{}` | {} | {} |".format(*row) for row in rows))
            asked = about.get("requestBody", {}).get("content", {})
            for kind, content in asked.items():
                parts.append(f"It takes `{kind}`:\n\n" + as_code(content.get("example", content.get("schema", {}))))
            answers = [f"* `{code}`: {reply.get('description', '')}" for code, reply in about["responses"].items()]
            parts.append("\n".join(answers))
    if schemas := description.get("components", {}).get("schemas", {}):
        parts.append("## What questions and answers are made of")
        for name, schema in schemas.items():
            parts.append(f"### {name}\n\n{schema.get('description', '')}\n\n{as_code(schema)}")
    page = Page(f"{INTERNALS}/http.html", "\n\n".join(parts), "reference/http.html")
    page.body = page.body.replace('href="../source/docs/internals/OPENAPI.html"', 'href="openapi.json"')
    page.linked = {path for path in page.linked if not path.endswith("OPENAPI")}
    return page


def as_code(value):
    return "    " + json.dumps(value, indent=2).replace("\n", "\n    ")


def source(path):
    """A file that pages link to, as it is."""
    page = Page(path, f"# {path}\n", place_of(path))
    page.body += code_block((ROOT / path).read_text(encoding="utf-8"))
    page.headings = [(1, slug(path), path)]
    return page


def demo():
    """The explorer's page of the demo's city, in a frame: it is a whole program and keeps to itself."""
    text = """# The demo, live

    stopover demo

A synthetic city of 300,000 trips with three stops each, published at epsilon 1. This is the page that the command
leaves, `city.html`: one file with the release and the query engine inside. Click a quarter, draw a circle, or ask in
words; every answer has the digits of the command line. [The explorer](docs/guide/explorer.md) says what can be done.
"""
    page = Page("demo.md", text, "demo.html")
    page.body += ('<p><a href="demo/city.html">Open it alone</a>, in the whole window.</p>\n'
                  '<iframe class="demo" src="demo/city.html" title="The explorer: a page of the demo\'s release" '
                  'loading="lazy"></iframe>\n')
    return page


def escaped(text):
    return html.escape(text, quote=True)
