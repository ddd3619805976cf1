"""Drawing: a small vocabulary of pictures as SVG text, which knows nothing of what they show."""
