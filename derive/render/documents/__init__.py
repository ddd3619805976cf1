"""Documents of several quantities: what they are made of, and one module for each form that they are written in."""
