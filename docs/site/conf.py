"""Settings of the documentation site. Its sources are the tree that prepare.py makes; ./docs.sh does everything."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

project = "Stiction"
author = "The Stiction authors"
copyright = "the Stiction authors, Apache 2.0"

extensions = ["myst_parser", "breathe", "katex"]
root_doc = "index"
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
exclude_patterns = ["doxygen"]

myst_fence_as_directive = ["math"]
myst_heading_anchors = 4  # [text](page.md#heading) as GitHub has it
myst_links_external_new_tab = False

html_math_renderer = "katex"
html_theme = "furo"
html_title = "Stiction"
html_copy_source = False
html_show_sphinx = False
html_static_path = [str(Path(__file__).parent / "static")]
html_css_files = ["site.css"]
html_theme_options = {"navigation_with_keys": True}

breathe_default_project = "stiction"
breathe_default_members = ("members",)
breathe_show_include = False
primary_domain = "cpp"
highlight_language = "none"
