"""The LaTeX that is printed here, read into boxes, and set again where there is no TeX: as MathML and as Typst."""
