"""Filter of Doxygen: a header whose plain `//` comments become documentation comments. Prints the result.

The headers of this project have one kind of comment, so that they read well as they are. What a comment belongs to is
decided by its place: the block at the top is that of the file, a block on lines of its own belongs to the declaration
below it, a comment after code to that code. Text is text: nothing in it is a command of Doxygen or HTML, indented lines
are shown as they stand, and `code` is code. The namespace is left out: it would stand before every name.

usage: doxygen_filter.py HEADER
"""

import re
import sys

SPECIAL = re.compile(r"([\\@<>&#%\"$])")
CODE = re.compile(r"`([^`]+)`")
COMMENT = re.compile(r"^(\s*)//(?!/)( ?)(.*)$")
SPLIT = re.compile(r'((?:"(?:\\.|[^"\\])*"|[^"])*?)//(?!/) ?(.*)$')  # code, comment; no // inside a string


def escaped(text):
    """Text that Doxygen leaves alone, with `code` set as code."""
    parts = [SPECIAL.sub(r"\\\1", part) for part in CODE.split(text)]
    return "".join(f"<code>{part}</code>" if k % 2 else part for k, part in enumerate(parts))


def block(lines):
    """Lines of documentation text for the lines of one comment: paragraphs, and indented pieces as they stand."""
    out, shown = [], False
    for k, line in enumerate(lines):
        later = next((later for later in lines[k:] if later.strip()), "")
        indented = line.startswith("    ") or (shown and not line.strip() and later.startswith("    "))
        if indented != shown:
            out.append("@verbatim" if indented else "@endverbatim")
            shown = indented
        out.append((line if shown else escaped(line)).replace("*/", "* /"))
    return out + (["@endverbatim"] if shown else [])


def documented(lines):
    out, k, at_top = [], 0, True
    while k < len(lines):
        match = COMMENT.match(lines[k])
        if not match:
            at_top = at_top and not lines[k].strip()
            out.append(with_trailing(lines[k]))
            k += 1
            continue
        if k > 0 and trailing_column(lines[k - 1]) == len(match[1]):  # goes on with the comment after the code above
            while k < len(lines) and (match := COMMENT.match(lines[k])):
                out.append(f"{match[1]}///< {escaped(match[3])}")
                k += 1
            continue
        texts, end = [], k
        while end < len(lines) and (match := COMMENT.match(lines[end])):
            texts.append(match[3])
            end += 1
        below = lines[end].strip() if end < len(lines) else ""
        if at_top:
            out += ["/** @file", *block(texts), "*/"]
            at_top = False
        elif below and not below.startswith(("}", "#", "public:", "private:", "protected:")):
            out += ["/**", *block(texts), "*/"]
        else:  # belongs to nothing that is declared
            out += lines[k:end]
        k = end
    return out


def split(line):
    """Code and the comment after it, or None."""
    if "//" not in line or line.lstrip().startswith(("#", "}", "//")):
        return None
    return SPLIT.match(line)


def trailing_column(line):
    match = split(line)
    return len(match[1]) if match else -1


def with_trailing(line):
    match = split(line)
    return f"{match[1].rstrip()}  ///< {escaped(match[2])}" if match else line


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        text = file.read()
    # A namespace of forward declarations only documents nothing, and would be declared once per header that has it.
    text = re.sub(r"^namespace \w+ \{\n(?:(?:class|struct) \w+;\n)+\}.*\n", "", text, flags=re.M)
    if len(re.findall(r"^namespace stiction \{$", text, re.M)) == 1:
        text = re.sub(r"^namespace stiction \{$|^\}  // namespace stiction$", "", text, flags=re.M)
    print("\n".join(documented(text.splitlines())))
