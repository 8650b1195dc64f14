"""Sphinx extension: formulas set by KaTeX while the site is built, so that pages need no script and no network.

KaTeX itself (script, style, fonts) is Debian's libjs-katex, or whatever folder STICTION_KATEX names; its style and fonts are
copied into the site.
"""

import atexit
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

from sphinx.errors import ExtensionError
from sphinx.util import logging

logger = logging.getLogger(__name__)
FOLDER = Path(os.environ.get("STICTION_KATEX", "/usr/share/javascript/katex"))


class Renderer:
    """One node process for all formulas of a build."""

    def __init__(self):
        self.process, self.known = None, {}

    def ask(self, tex, display):
        if (tex, display) not in self.known:
            if self.process is None:
                script = Path(__file__).with_name("katex_render.js")
                self.process = subprocess.Popen(
                    ["node", str(script), str(FOLDER)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
                )
                atexit.register(self.close)
            self.process.stdin.write(json.dumps({"tex": tex, "display": display}) + "\n")
            self.process.stdin.flush()
            answer = self.process.stdout.readline()
            if not answer:
                raise ExtensionError("node with KaTeX ended; is libjs-katex installed?")
            self.known[tex, display] = json.loads(answer)
        return self.known[tex, display]

    def close(self):
        self.process.stdin.close()
        self.process.wait()


renderer = Renderer()


def set_formula(translator, node, display):
    answer = renderer.ask(node.astext(), display)
    if "error" in answer:
        logger.warning("%s in %r", answer["error"], node.astext(), location=node, type="katex")
        return translator.encode(node.astext())
    return answer["html"]


def visit_inline(translator, node):
    translator.body.append(f'<span class="math">{set_formula(translator, node, False)}</span>')
    raise_skip()


def visit_block(translator, node):
    translator.body.append(f'<div class="math">{set_formula(translator, node, True)}</div>\n')
    raise_skip()


def raise_skip():
    from docutils.nodes import SkipNode

    raise SkipNode


def copy_style(app):
    """KaTeX's style with the WOFF2 fonts, which every browser of the last ten years reads, and no others."""
    out = Path(app.outdir) / "_static" / "katex"
    (out / "fonts").mkdir(parents=True, exist_ok=True)
    style = (FOLDER / "katex.min.css").read_text(encoding="utf-8")
    style = re.sub(r',url\([^)]*\) format\("(?:woff|truetype)"\)', "", style)
    (out / "katex.css").write_text(style, encoding="utf-8")
    for font in sorted((FOLDER / "fonts").glob("*.woff2")):
        shutil.copy(font, out / "fonts" / font.name)


def finish(app, exception):
    if exception is None and app.builder.format == "html":
        copy_style(app)


def setup(app):
    app.add_html_math_renderer("katex", (visit_inline, None), (visit_block, None))
    app.add_css_file("katex/katex.css")
    app.connect("build-finished", finish)
    return {"parallel_read_safe": True, "parallel_write_safe": False}
