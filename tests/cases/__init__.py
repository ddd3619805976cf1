"""Reports of people who were given wrong numbers, by what they are about: the right value of each, by its number."""
