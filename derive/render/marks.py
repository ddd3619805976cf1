"""What stands for a verdict, and words in which nothing is markup: without SymPy, so that a start stays fast."""

MARKS = {"proved": "■", "proved up to": "■ ≈", "refuted": "✗", "open": "?"}
MARKDOWN = str.maketrans({character: "\\" + character for character in "\\`*_{}[]<>#|$~"})
LATEX = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "_": r"\_", "$": r"\$", "%": r"\%", "#": r"\#", "&": r"\&",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "×": r"$\times$", "≈": r"$\approx$", "²": r"$^2$",
}  # fmt: skip


def markdown_text(text: str) -> str:
    r"""Words as Markdown text.

    >>> print(markdown_text("a_b <script> | x"))
    a\_b \<script\> \| x
    """
    return text.translate(MARKDOWN).replace("\n", " ")


def markdown_math(latex: str) -> str:
    """LaTeX inside a line: dollar-backtick leaves `_` and a backslash alone; a bar would end a table's cell."""
    return f"$`{latex}`$".replace("|", r"\vert ")


def latex_text(text: str) -> str:
    r"""Words as LaTeX text.

    >>> print(latex_text("50% of \\input{x} & softmax_output"))
    50\% of \textbackslash{}input\{x\} \& softmax\_output
    """
    return "".join(LATEX.get(character, character) for character in text)
