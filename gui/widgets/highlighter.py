"""Syntax colours by Pygments: the whole text is lexed once, each line's pieces are then applied by Qt as it paints.

Pygments is imported with the first text, never at start-up.
"""

from __future__ import annotations

from PySide6.QtGui import QColor, QSyntaxHighlighter, QTextCharFormat, QTextDocument

from .. import theme


def pieces(text: str, language: str) -> list[list[tuple[int, int, str]]]:
    """Per line: (start column, length, role) with a role of Theme.code. `language` is "python" or "c"."""
    from pygments.lexers import CLexer, PythonLexer
    from pygments.token import Comment, Keyword, Name, Number, Operator, String

    lexer = (PythonLexer if language == "python" else CLexer)(ensurenl=False, stripnl=False)
    roles = ((Comment, "comment"), (Keyword, "keyword"), (Name.Builtin, "builtin"), (Name.Decorator, "builtin"),
             (Name.Function, "name"), (Name.Class, "name"), (String, "string"), (Number, "number"),
             (Operator.Word, "keyword"), (Operator, "operator"))
    opencl = {"__kernel", "__global", "__local", "__constant", "kernel", "global", "local", "restrict", "float4",
              "float8", "float16", "half", "uint", "ulong", "uchar", "size_t"}
    lines: list[list[tuple[int, int, str]]] = [[]]
    column = 0
    for kind, value in lexer.get_tokens(text):
        role = next((r for token, r in roles if kind in token), "")
        if language == "c" and value in opencl:
            role = "keyword"
        for i, part in enumerate(value.split("\n")):
            if i:
                lines.append([])
                column = 0
            if role and part:
                lines[-1].append((column, len(part), role))
            column += len(part)
    return lines


class Highlighter(QSyntaxHighlighter):
    """Colours a document whose text was given by `set_text`."""

    def __init__(self, document: QTextDocument, language: str) -> None:
        super().__init__(document)
        self.language = language
        self._lines: list[list[tuple[int, int, str]]] = []

    def set_text(self, text: str) -> None:
        """Lex the text that the document will hold (call before setting it)."""
        self._lines = pieces(text, self.language) if text else []

    def highlightBlock(self, text: str) -> None:
        number = self.currentBlock().blockNumber()
        if number >= len(self._lines):
            return
        roles = theme.active().code
        # Columns count characters; Qt counts UTF-16 units.
        wide = any(ord(c) > 0xFFFF for c in text)
        for start, length, role in self._lines[number]:
            if wide:
                raw = text.encode("utf-16-le").decode("utf-16-le")
                start, length = len(raw[:start].encode("utf-16-le")) // 2, len(
                    raw[start:start + length].encode("utf-16-le")) // 2
            style = QTextCharFormat()
            style.setForeground(QColor(roles[role]))
            if role == "comment":
                style.setFontItalic(True)
            self.setFormat(start, length, style)
