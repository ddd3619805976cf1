"""Certificates written by hand: each rule, each kind and each function at least once."""

REAL, WHOLE = "positive real", "positive integer"


def certificate(name, symbols, relation, left, right, *steps, given=(), define=(), witness=None):
    return {
        "name": name, "symbols": symbols, "define": [list(each) for each in define],
        "given": [list(each) for each in given], "witness": witness or {}, "relation": relation, "left": left,
        "right": right, "equality": "not looked at here", "steps": list(steps),
    }  # fmt: skip


CERTIFICATES = [
    certificate(
        "signs/zero-1", {"N": WHOLE, "n": WHOLE}, "<=",
        ["+", ["*", 4, "N"], ["/", ["*", 12, "N"], "n"]], ["*", 16, "N"],
    ),
    certificate(
        "signs/strict", {"m": WHOLE, "p": WHOLE}, "<",
        ["/", ["+", "p", ["-", 1]], ["+", "m", "p", ["-", 1]]], 1,
    ),
    certificate(
        "signs/kinds", {"i": "natural number", "y": "nonnegative real", "z": "real", "x": REAL}, "<",
        0, ["+", ["*", "i", "y"], ["^", "z", 2], ["/", "x", ["+", 1, "i"]]],
    ),
    certificate(
        "signs/at-least", {"h": WHOLE, "at": REAL}, ">=", ["+", "h", "at"], 1,
    ),
    certificate(
        "signs/more", {"h": WHOLE, "x": REAL}, ">", ["+", "h", "x"], 1,
    ),
    certificate(
        "equal/define", {"h": WHOLE, "a": WHOLE, "d": WHOLE}, "==",
        ["*", "a", "d"], "h", define=[["d", ["/", "h", "a"]]],
    ),
    certificate(
        "equal/negative-power", {"h": WHOLE, "x": REAL}, "==",
        ["*", ["^", "h", 3], ["^", "h", -2], ["^", "x", 0]], "h",
    ),
    certificate(
        "combine/given", {"h": WHOLE, "g": WHOLE, "a": WHOLE}, "<=",
        ["+", ["*", 2, ["^", "h", 2]], ["/", ["*", 2, ["^", "h", 2], "g"], "a"]], ["*", 4, ["^", "h", 2]],
        ["combine", "<=", ["+", ["*", 2, ["^", "h", 2]], ["/", ["*", 2, ["^", "h", 2], "g"], "a"]],
         ["*", 4, ["^", "h", 2]], "a", [[["*", 2, ["^", "h", 2]], 0]]],
        given=[["<=", "g", "a"]],
    ),
    certificate(
        "combine/squares", {"x": REAL, "y": REAL}, "<=", ["*", 4, "x", "y"], ["^", ["+", "x", "y"], 2],
        ["square", ["+", "x", ["-", "y"]]],
        ["combine", "<=", ["*", 4, "x", "y"], ["^", ["+", "x", "y"], 2], 1, [[1, 0]]],
    ),
    certificate(
        "combine/product", {"a": REAL, "b": REAL, "c": REAL, "d": REAL}, "<",
        ["+", ["*", "a", "d"], ["*", "b", "c"]], ["+", ["*", "a", "c"], ["*", "b", "d"]],
        ["combine", "<", ["+", ["*", "a", "d"], ["*", "b", "c"]], ["+", ["*", "a", "c"], ["*", "b", "d"]],
         1, [[1, 0, 1]]],
        given=[[">", "b", "a"], ["<", "c", "d"]], witness={"b": 2, "d": 2},
    ),
    certificate(
        "combine/strict-divisor", {"s": REAL, "d": REAL}, "<", 0, ["/", "s", ["+", "d", ["-", "s"]]],
        given=[["<", "s", "d"]], witness={"d": 2},
    ),
    certificate(
        "combine/derived-divisor", {"s": REAL, "d": REAL}, "<", 0, ["/", "s", ["+", "d", ["-", "s"]]],
        ["combine", "<", "s", "d", 1, [[1, 0], [1, 1]]],
        given=[["<", ["+", "s", 1], ["+", "d", "s"]], ["<=", "s", 1]], witness={"d": 3},
    ),
    certificate(
        "combine/equality", {"x": REAL, "y": REAL, "z": REAL}, "==", ["*", "x", "z"], ["*", "y", "z"],
        ["combine", "==", ["*", "x", "z"], ["*", "y", "z"], 1, [["z", 0]]],
        given=[["==", "x", "y"]],
    ),
    certificate(
        "combine/any-multiplier", {"x": REAL, "y": REAL, "z": "real"}, "<=", ["*", "x", "z"], ["+", 1, ["*", "y", "z"]],
        ["combine", "<=", ["*", "x", "z"], ["+", 1, ["*", "y", "z"]], 1, [["z", 0], [1]]],
        given=[["==", "x", "y"]],
    ),
    certificate(
        "equal/both-ways", {"x": REAL, "y": REAL}, "==", "x", "y", given=[["<=", "x", "y"], [">=", "x", "y"]],
    ),
    certificate(
        "equal/given", {"x": REAL, "y": REAL}, "==", ["/", 2, "y"], ["/", 2, "x"],
        ["combine", "==", ["/", 2, "y"], ["/", 2, "x"], ["*", 3, "x", "y"], [[2, 0]]],
        given=[["==", ["*", 3, "x"], ["*", 3, "y"]]],
    ),
    certificate(
        "equal/chain", {"h": WHOLE, "f": WHOLE, "e": WHOLE}, "==", "e", ["+", ["*", 8, "h"], 1],
        define=[["f", ["*", 4, "h"]], ["e", ["+", ["*", 2, "f"], 1]]],
    ),
    certificate(
        "root/squared", {"C": REAL}, "==", ["*", ["sqrt", ["/", "C", 120]], ["sqrt", ["/", ["*", 2, "C"], 240]]],
        ["/", "C", 120],
        ["of", ["sqrt", ["/", "C", 120]]],
        ["combine", "==", ["*", ["sqrt", ["/", "C", 120]], ["sqrt", ["/", "C", 120]]], ["/", "C", 120], 1, [[1, 0]]],
    ),
    certificate(
        "root/mean", {"L": REAL, "k": REAL}, "<=", ["*", 2, ["sqrt", "L"]], ["+", "k", ["/", "L", "k"]],
        ["of", ["sqrt", "L"]],
        ["square", ["+", "k", ["-", ["sqrt", "L"]]]],
        ["combine", "<=", ["*", 2, ["sqrt", "L"]], ["+", "k", ["/", "L", "k"]], "k", [[1, 1], [1, 0]]],
    ),
    certificate(
        "root/of-nonnegative", {"y": "nonnegative real"}, "==", ["^", ["sqrt", "y"], 2], "y", ["of", ["sqrt", "y"]],
    ),
    certificate(
        "root/is-power", {"x": REAL}, "==", ["+", ["sqrt", "x"], 1], ["+", 1, ["^", "x", ["/", 1, 2]]],
    ),
    certificate(
        "power/is-root", {"x": "nonnegative real"}, "==", ["^", ["*", 2, "x"], ["/", 1, 2]], ["sqrt", ["+", "x", "x"]],
    ),
    certificate(
        "power/fraction", {"x": REAL}, "==", ["^", ["^", "x", ["/", 2, 3]], 3], ["^", "x", 2],
        ["of", ["^", "x", ["/", 2, 3]]],
    ),
    certificate(
        "power/negative", {"x": REAL}, "==", ["^", ["^", "x", ["/", -2, 3]], 3], ["^", "x", -2],
        ["of", ["^", "x", ["/", -2, 3]]],
    ),
    certificate(
        "power/symbol", {"A": REAL, "x": REAL, "w": REAL, "v": REAL}, "<",
        ["/", "A", ["+", 1, ["^", "x", ["+", "w", "v"]]]], ["/", ["+", "A", 1], ["+", ["^", "x", ["+", "v", "w"]], 1]],
    ),
    certificate(
        "ceil/at-least", {"V": WHOLE, "t": WHOLE}, "<=", "V", ["*", "t", ["ceil", ["/", "V", "t"]]],
        ["of", ["ceil", ["/", "V", "t"]]],
        ["combine", "<=", "V", ["*", "t", ["ceil", ["/", "V", "t"]]], 1, [["t", 0]]],
    ),
    certificate(
        "ceil/whole", {"L": WHOLE, "p": WHOLE}, "<=", ["ceil", ["/", "L", "p"]], ["/", ["+", "L", "p", ["-", 1]], "p"],
        ["of", ["ceil", ["/", "L", "p"]]],
        ["whole", ["*", "p", ["ceil", ["/", "L", "p"]]], ["+", "L", "p", ["-", 1]], 1],
        ["combine", "<=", ["ceil", ["/", "L", "p"]], ["/", ["+", "L", "p", ["-", 1]], "p"], "p", [[1, 2]]],
    ),
    certificate(
        "ceil/one", {"x": REAL}, "<=", 1, ["ceil", "x"],
    ),
    certificate(
        "floor/batch", {"B": WHOLE, "d": WHOLE, "b": WHOLE}, "<=",
        ["*", ["floor", ["/", "B", ["*", "d", "b"]]], "d", "b"], "B",
        ["of", ["floor", ["/", "B", ["*", "d", "b"]]]],
        ["combine", "<=", ["*", ["floor", ["/", "B", ["*", "d", "b"]]], "d", "b"], "B", 1, [[["*", "d", "b"], 0]]],
    ),
    certificate(
        "whole/next", {"h": WHOLE, "g": "natural number"}, "<=", ["+", "g", 1], "h", ["whole", ["+", "g", 1], "h", 0],
        given=[["<", "g", "h"]], witness={"h": 2},
    ),
    certificate(
        "whole/integers", {"z": "integer", "n": "integer"}, "<=", ["+", "z", 1], ["*", "n", "n"],
        ["whole", ["+", "z", 1], ["*", "n", "n"], 0],
        given=[["<", "z", ["^", "n", 2]]], witness={"n": 2},
    ),
    certificate(
        "max/sum", {"x": REAL, "y": REAL}, "<=", ["max", "x", "y"], ["+", "x", "y"],
        ["cases", ["max", "x", "y"],
         [["combine", "<=", ["max", "x", "y"], ["+", "x", "y"], 1, [["y"], [1, 0]]]],
         [["combine", "<=", ["max", "x", "y"], ["+", "x", "y"], 1, [["x"], [1, 0]]]]],
    ),
    certificate(
        "max/twice", {"x": REAL, "y": REAL}, "<=", ["+", "x", "y"], ["*", 2, ["max", "x", "y"]],
        ["of", ["max", "x", "y"]],
        ["combine", "<=", ["+", "x", "y"], ["*", 2, ["max", "x", "y"]], 1, [[1, 0], [1, 1]]],
    ),
    certificate(
        "max/three", {"x": REAL, "y": REAL, "z": REAL}, "<=", ["max", "x", "y", "z"], ["+", "x", ["max", "z", "y"]],
        ["of", ["max", "z", "y"]],
        ["cases", ["max", "x", "y", "z"],
         [["combine", "<=", ["max", "x", "y", "z"], ["+", "x", ["max", "z", "y"]], 1, [[["max", "z", "y"]], [1, 2]]]],
         [["combine", "<=", ["max", "x", "y", "z"], ["+", "x", ["max", "z", "y"]], 1, [["x"], [1, 1], [1, 2]]]],
         [["combine", "<=", ["max", "x", "y", "z"], ["+", "x", ["max", "z", "y"]], 1, [["x"], [1, 0], [1, 2]]]]],
    ),
    certificate(
        "min/three", {"m": WHOLE, "p": WHOLE, "q": WHOLE}, "<=",
        ["/", ["min", "m", "p", "q"], "m"], 1,
        ["of", ["min", "m", "p", "q"]],
        ["combine", "<=", ["/", ["min", "m", "p", "q"], "m"], 1, "m", [[1, 0]]],
    ),
    certificate(
        "max/nowhere", {"x": REAL}, "<=", ["*", 3, ["max", 2, 3]], 9,
        ["of", ["max", 2, 3]],
        ["cases", ["max", 2, 3], [["combine", "<=", 3, 2, 1, [[1, 1], [1, 2]]]],
         [["combine", "<=", ["*", 3, ["max", 2, 3]], 9, 1, [[3, 2]]]]],
    ),
    certificate(
        "roofline/at-most-one", {"F": REAL, "P": REAL, "B": REAL, "W": REAL}, "<=",
        ["/", "F", ["*", "P", ["max", ["/", "F", "P"], ["/", "B", "W"]]]], 1,
        ["of", ["max", ["/", "F", "P"], ["/", "B", "W"]]],
        ["combine", "<=", ["/", "F", ["*", "P", ["max", ["/", "F", "P"], ["/", "B", "W"]]]], 1,
         ["max", ["/", "F", "P"], ["/", "B", "W"]], [[1, 0]]],
    ),
]  # fmt: skip
