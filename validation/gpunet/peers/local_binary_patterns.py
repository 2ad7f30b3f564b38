"""Face verification by local binary patterns in integers, written from the recipe alone (Ahonen et al., 2006)."""

SIDE, CELLS, BINS, THRESHOLD = 64, 8, 59, 4500
NEIGHBOURS = ((-1, -1), (0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0))  # (x, y), clockwise from top left


def bins():
    """Bin of each of 256 codes: the uniform ones in ascending order, the rest last."""
    numbers, uniform = [], 0
    for code in range(256):
        bits = [code >> i & 1 for i in range(8)]
        changes = sum(bits[i] != bits[i - 1] for i in range(8))
        numbers.append(uniform if changes <= 2 else BINS - 1)
        uniform += changes <= 2
    return numbers


def histogram(picture, numbers=tuple(bins())):
    """Counts by (cell, bin) of a picture of SIDE x SIDE bytes."""
    counts = [0] * (CELLS * CELLS * BINS)
    for y in range(1, SIDE - 1):
        for x in range(1, SIDE - 1):
            centre = picture[y * SIDE + x]
            code = sum((picture[(y + dy) * SIDE + x + dx] >= centre) << i for i, (dx, dy) in enumerate(NEIGHBOURS))
            cell = (y - 1) * CELLS // (SIDE - 2) * CELLS + (x - 1) * CELLS // (SIDE - 2)
            counts[cell * BINS + numbers[code]] += 1
    return counts


def distance(a, b):
    return sum(abs(x - y) for x, y in zip(a, b))
