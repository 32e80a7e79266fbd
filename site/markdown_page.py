"""A Markdown file of the repository as HTML, with links that lead within the site."""
import html
import posixpath
import re

from markdown_it import MarkdownIt
from tree import PICTURES, place_of

TYPED = re.compile(r"^(\$ (?:.*\\\n)*.*)$", re.M)


def slug(title):
    """As GitHub and tests/house/pages.py have it."""
    return re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-")


def code_block(text):
    """Commands after $ stand out, and can be copied."""
    shown = TYPED.sub(lambda typed: f'<span class="typed">{typed.group(1)}</span>', html.escape(text, quote=False))
    return f'<pre tabindex="0"><code>{shown}</code></pre>\n'


class Page:
    """What is known of a page once it is made: its title, HTML, headings and the files that it links to."""

    def __init__(self, path, text, place=None):
        self.path = path
        self.place = place or place_of(path)
        self.headings = []  # (level, anchor, text)
        self.linked = set()
        self.pictures = set()
        self.description = ""
        engine = MarkdownIt("commonmark").enable(["table"])
        tokens = engine.parse(text)
        self._look_at(tokens)
        self.body = self._html(engine, tokens)
        self.title = self.headings[0][2] if self.headings else path

    def target(self, link):
        """A link of the file as one of the page."""
        if re.match(r"[a-z]+:", link) or link.startswith("#"):
            return link
        file, _, anchor = link.partition("#")
        path = posixpath.normpath(posixpath.join(posixpath.dirname(self.path), file))
        if posixpath.splitext(path)[1] in PICTURES:
            self.pictures.add(path)
        else:
            self.linked.add(path)
        place = posixpath.relpath(place_of(path), posixpath.dirname(self.place))
        return f"{place}#{anchor}" if anchor else place

    def _look_at(self, tokens):
        seen = {}
        for k, token in enumerate(tokens):
            if token.type == "heading_open":
                inside = tokens[k + 1]
                title = "".join(child.content for child in inside.children if child.type in ("text", "code_inline"))
                anchor = slug(title)
                seen[anchor] = seen.get(anchor, 0) + 1
                if seen[anchor] > 1:
                    anchor += f"-{seen[anchor] - 1}"
                token.attrSet("id", anchor)
                self.headings.append((int(token.tag[1]), anchor, title))
            elif token.type == "inline":
                if not self.description and tokens[k - 1].type == "paragraph_open":
                    self.description = "".join(c.content for c in token.children if c.type in ("text", "code_inline"))
                for child in token.children:
                    if child.type == "link_open":
                        child.attrSet("href", self.target(child.attrGet("href")))
                    elif child.type == "image":
                        child.attrSet("src", self.target(child.attrGet("src")))
                        child.attrSet("loading", "lazy")

    @staticmethod
    def _html(engine, tokens):
        parts = engine.renderer
        parts.rules["code_block"] = lambda t, k, *_: code_block(t[k].content)
        parts.rules["fence"] = lambda t, k, *_: code_block(t[k].content)
        parts.rules["table_open"] = lambda *_: '<div class="scroll" tabindex="0" role="group" aria-label="table"><table>\n'
        parts.rules["table_close"] = lambda *_: "</table></div>\n"
        parts.rules["heading_close"] = lambda t, k, *_: heading_close(t, k)
        made = parts.render(tokens, engine.options, {})
        # Words that a list explains can be linked to, and found.
        made = re.sub(r"<li><strong>([^<]*)</strong>:",
                      lambda word: f'<li id="word-{slug(word.group(1))}"><strong>{word.group(1)}</strong>:', made)
        # A row of heads without a word says nothing to those who hear it.
        made = re.sub(r"<thead>\s*<tr>\s*(?:<th[^>]*></th>\s*)+</tr>\s*</thead>\s*", "", made)
        return made.replace("<th></th>", "<td></td>")


def heading_close(tokens, k):
    opened = tokens[k - 2]
    anchor = opened.attrGet("id")
    if opened.tag == "h1":
        return "</h1>\n"
    name = html.escape(tokens[k - 1].content, quote=True)
    return f' <a class="anchor" href="#{anchor}" aria-label="link to {name}">#</a></{opened.tag}>\n'
