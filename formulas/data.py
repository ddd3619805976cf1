"""Training data on disk: bytes of a token and of a data set, and what windows drawn at random cover of it."""

from derive import Line, Statement, byte, ceil, dimensionless, formula, minimum, token
from formulas.notation import notation_of

notation = notation_of("data")
V, D, s, y, l, n = (notation.symbol(x) for x in "VDsyln")

CODES = 2**16  # that two bytes tell apart


@formula("y", unit=byte / token, notation=notation, of_sizes=True)
def token_bytes():
    """Bytes of one stored token: the narrowest whole type of 2 or 4 bytes that tells V tokens apart.

    uint16 up to V = 2^16, then 4 bytes. Megatron-LM already switches at V = 65500; a batch is int64 in any case: 8
    bytes. Unit: byte/token.

    >>> from derive import Plan
    >>> [token_bytes.ledger(None, Plan()).value.subs(V, size) for size in (50257, 65536, 65537, 128256, 10**6)]
    [2, 2, 4, 4, 4]
    """
    why = f"2 bytes have {CODES} values"
    return Statement(minimum(4, 2 * ceil(V / CODES)), "uint16 or uint32", why, each=byte / token)


@formula("M", unit=byte, notation=notation, letters={"y": token_bytes}, per_device=False)
def dataset_bytes():
    """Bytes of a data set of D tokens that is stored as a flat file of token ids.

    Unit: byte.
    """
    return Statement(D * y, "every token's id")


@formula("x", unit=dimensionless, notation=notation)
def window_starts():
    """Places where a window of s tokens and their labels, the next s, can start in a file of l tokens.

    The last token of a window starting at i has its label at i + s, which must be at most l - 1: i is from 0 to
    l - s - 1. A range that excludes its end, as numpy's randint does, must end at l - s. Unit: 1.
    """
    last = Line("(l - s - 1) - 0 + 1", "l - s", "starts from 0 to l - s - 1", checked=True)
    return Statement(l - s, "starts that leave room for the label", by=(last,))


@formula("x", unit=dimensionless, notation=notation)
def window_coverage():
    """Share of a file's tokens that one pass of n windows, each at a random start, is expected to reach.

    A window reaches a token with a chance of 1/n, away from the file's ends; n windows all miss it with (1 - 1/n)^n.
    That is between (1 - 1/n)/e and 1/e for every n, so that the share falls to 1 - 1/e = 63.2% as n grows: above it,
    by less than 1/(e*n). Unit: 1.
    """
    missed = Line("1 - 1/n", "(n - 1)/n", "the chance that one window misses a token", checked=True)
    return Statement(1 - (1 - 1 / n) ** n, "tokens that some window reaches", "not missed by all n", by=(missed,))
