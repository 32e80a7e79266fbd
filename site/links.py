"""Links of a folder of HTML that lead nowhere: to a file that is not there, or an id that it does not have."""
import html
import re
import urllib.parse

LINK = re.compile(r'(?:href|src)="([^"]*)"')
ID = re.compile(r'\bid="([^"]*)"')
OUTSIDE = re.compile(r"[a-z]+:")


def broken(out, without_demo=False):
    """["guide/zones.html: there is no ..."]; the explorer's own page is not ours to look into."""
    files = {file: file.read_text(encoding="utf-8") for file in sorted(out.rglob("*.html")) if "demo" not in file.parts}
    ids = {file.resolve(): {html.unescape(name) for name in ID.findall(text)} for file, text in files.items()}
    wrong = []
    for file, text in files.items():
        for link in LINK.findall(text):
            link = html.unescape(link)
            if OUTSIDE.match(link):
                continue
            path, _, anchor = link.partition("#")
            target = (file.parent / urllib.parse.unquote(path)).resolve() if path else file.resolve()
            where = file.relative_to(out).as_posix()
            if without_demo and target.name in ("demo.html", "commands.html", "http.html"):
                continue
            if not target.is_file():
                wrong.append(f"{where}: there is no {link}")
            elif anchor and target in ids and urllib.parse.unquote(anchor) not in ids[target]:
                wrong.append(f"{where}: {path or 'this page'} has no #{anchor}")
    return wrong
