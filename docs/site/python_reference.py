"""The Python reference as reStructuredText, from the package's stub and Python sources. Nothing is imported."""

import ast
import re
import textwrap

SHORT = [("numpy.typing.", ""), ("numpy.", ""), ("_Sequence", "Sequence"), ("collections.abc.", ""), ("os.", "")]

# Where a class or function of the stub is shown: the first group with a pattern that fits its name.
GROUPS = [
    ("Simulation", r"Simulator|State|Step.*|Solver[FI].*|Contact|ContactRegime|ExternalForce"),
    ("Comparisons", r"Compar.*|compare|solver_of_each_model"),
    ("Models", r"Model.*|Pose|Plane|Sphere|Capsule|Cylinder|Ellipsoid|Box|ConvexHull|TriangleMesh|HeightField|Joint|Frame"
     r"|Body|Dof|Shape|Loop|Actuator|Keyframe|Material|Inertia|integrate|difference"),
    ("Files of robots", r"load.*|Load.*|save|write_(mjcf|urdf|sdf)|Written.*|Ignored.*|from_.*|has_mjcf|[aA]ssembl.*"),
    ("Recordings", r"[Rr]ecord.*"),
    ("Inverse dynamics", r"InverseDynamics.*|inverse_dynamics"),
    ("Contact problems", r"solve|residuals|make_problem|SolveResult|Constraint.*|Contact(Problem|Solution|Model|Energy)"
     r"|DelassusForm|Residuals|judge|contact_.*|.*[iI]nternal_?[fF]orce.*"),
    ("Solvers", r"Solve.*|.*solver.*|ContactSolver|HistoryEntry"),
    ("Linear complementarity", r".*Lcp.*|.*lcp|LinearComp.*|solve_(lemke|dantzig)"),
    ("Problem files", r"(read|write)_.*|.*Fclib.*|Sequence.*|carry_over"),
]
REST = "Dynamics"


def text(doc):
    """A docstring as reStructuredText: `code` as code, indented pieces as they stand, all else as it is written."""
    out = []
    for piece in re.split(r"\n\s*\n", textwrap.dedent(doc).strip("\n")):
        if piece.startswith("    "):
            out.append("::\n\n" + piece)
            continue
        parts = re.split(r"`([^`]+)`", re.sub(r"\s*\n\s*", " ", piece.strip()))
        out.append("".join(f"``{p}``" if k % 2 else re.sub(r"([\\*|`]|_(?=\W|$))", r"\\\1", p) for k, p in enumerate(parts)))
    return "\n\n".join(out)


def short(source):
    for long, instead in SHORT:
        source = source.replace(long, instead)
    return source


def is_public(name):
    return not name.startswith("_")


def decorators(node):
    return {ast.unparse(d) for d in node.decorator_list}


def signature(node, is_method):
    arguments = ast.parse(ast.unparse(node.args).join(["def f(", "): ..."])).body[0].args
    if is_method and "staticmethod" not in decorators(node):
        (arguments.posonlyargs or arguments.args).pop(0)
    returns = f" -> {ast.unparse(node.returns)}" if node.returns and node.name != "__init__" else ""
    return short(f"({ast.unparse(arguments)}){returns}")


def indented(lines, by=3):
    return textwrap.indent(lines, " " * by)


def entry(kind, heads, doc, options=(), body=""):
    lead = f".. py:{kind}:: "
    lines = lead + ("\n" + " " * len(lead)).join(heads) + "\n" + "".join(f"   :{o}\n" for o in options) + "\n"
    if doc:
        lines += indented(text(doc)) + "\n\n"
    return lines + (indented(body) + "\n" if body else "")


def functions(nodes, is_method):
    """Entries of all functions among nodes, overloads together, properties with their setters left out."""
    by_name = {}
    for node in nodes:
        if isinstance(node, ast.FunctionDef) and is_public(node.name):
            if not any(d.endswith((".setter", ".deleter")) for d in decorators(node)):
                by_name.setdefault(node.name, []).append(node)
    out = []
    for name, overloads in by_name.items():
        first = overloads[0]
        doc = "\n\n".join(dict.fromkeys(filter(None, map(ast.get_docstring, overloads))))
        if is_method and decorators(first) & {"property"}:
            options = [f"type: {short(ast.unparse(first.returns))}"] if first.returns else []
            out.append(entry("property", [name], doc, options))
            continue
        options = ["staticmethod:"] if "staticmethod" in decorators(first) else []
        heads = [name + signature(node, is_method) for node in overloads]
        out.append(entry("method" if is_method else "function", heads, doc, options))
    return out


def attributes(body):
    """Fields of an enumeration or data class; a string below one, or a comment, is its text."""
    out = []
    for node, below in zip(body, [*body[1:], None]):
        if isinstance(node, ast.Assign):
            name, options = node.targets[0], []
        elif isinstance(node, ast.AnnAssign):
            name, options = node.target, [f"type: {short(ast.unparse(node.annotation))}"]
        else:
            continue
        if isinstance(name, ast.Name) and is_public(name.id):
            has_text = isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant)
            out.append(entry("attribute", [name.id], below.value.value if has_text else "", options))
    return out


def class_entry(node):
    body = "\n".join(attributes(node.body) + functions(node.body, True))
    bases = [short(ast.unparse(base)) for base in node.bases]
    kind = "exception" if any("Error" in base or "Exception" in base for base in bases) else "class"
    doc = ast.get_docstring(node) or ""
    if bases and kind == "class":
        doc += f"\n\nBases: `{'`, `'.join(bases)}`"
    made = [f for f in node.body if isinstance(f, ast.FunctionDef) and f.name == "__init__"]
    doc += "".join(f"\n\n{ast.get_docstring(f)}" for f in made if ast.get_docstring(f))
    return entry(kind, [node.name + signature(f, True) for f in made] or [node.name], doc, (), body)


def entries(source):
    """[(name, entry)] of one Python file or stub."""
    body = ast.parse(source).body
    out = [(n.name, class_entry(n)) for n in body if isinstance(n, ast.ClassDef) and is_public(n.name)]
    plain = [n for n in body if isinstance(n, ast.FunctionDef) and is_public(n.name)]
    for name in dict.fromkeys(n.name for n in plain):
        out.append((name, functions([n for n in plain if n.name == name], False)[0]))
    return out


def sources(package):
    """[(file, names)]: __init__.py, stubs, and modules of which it takes the names given; None: all."""
    stubs = sorted(package.glob("*.pyi"))
    if not stubs:
        raise SystemExit(f"no stub in {package}: install the package first (./docs.sh does)")
    first = package / "__init__.py"
    found = [(first, None), *((stub, None) for stub in stubs)]
    for node in ast.parse(first.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom) and node.level == 1 and (package / f"{node.module}.py").is_file():
            found.append((package / f"{node.module}.py", {alias.asname or alias.name for alias in node.names}))
    return found


def reference(package):
    """The whole page, from the folder of the installed package."""
    groups = {title: [] for title, _ in GROUPS} | {REST: []}
    for path, wanted in sources(package):
        for name, lines in entries(path.read_text(encoding="utf-8")):
            if wanted is not None and name not in wanted:
                continue
            title = next((title for title, pattern in GROUPS if re.fullmatch(pattern, name)), REST)
            groups[title].append((name, lines))
    page = "Python reference\n================\n\n"
    page += "Made from the stub of the package; how it is used: :doc:`/docs/python`.\n\n.. py:module:: stiction\n\n"
    for title, members in groups.items():
        if members:
            page += f"{title}\n{'-' * len(title)}\n\n" + "\n".join(lines for _, lines in members) + "\n"
    return page
