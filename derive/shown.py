"""What a value does in a notebook: it shows itself, by renderers that are imported only when that happens."""


def in_notebook(value: object) -> str:
    """The Markdown of a value: classes have it as their `_repr_markdown_`, which notebooks look for.

    It is what the command line prints, with dollars around the mathematics.
    """
    from derive.notebook import markdown

    return markdown(value)


ROOM = 60  # characters of a formula in one line of a terminal, beside what it is about


def briefly(text: str) -> str:
    """A formula for a `repr`: what is long is cut.

    >>> briefly("s*b*h"), len(briefly("s*b*h + " * 30))
    ('s*b*h', 60)
    """
    return text if len(text) <= ROOM else f"{text[: ROOM - 4]} ..."
