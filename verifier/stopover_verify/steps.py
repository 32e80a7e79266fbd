"""Maps of very many cells are drawn in squares of several cells: the boxes of such a map are made of whole squares."""
import pyarrow as pa
import pyarrow.compute as pc

from stopover_verify.tiling import require_rows

MOST_SQUARES = 1 << 24


def step_of(sides):
    """Cells along a side of a square: the least power of two with which a map has at most 2^24 of them."""
    step = 1
    while squares(sides, step) > MOST_SQUARES:
        step *= 2
    return step


def squares(sides, step):
    product = 1
    for cells in sides:
        product *= -(-cells // step)
    return product


def check_steps(table):
    """Of a table that is a map."""
    step = step_of([axis["cells"] for axis in table.axes])
    if step == 1:
        return
    for axis in table.axes:
        lo, hi = (pc.cast(column, pa.int64()) for column in table.ends(axis))
        whole = pc.and_(multiple(lo, step), pc.or_(multiple(hi, step), pc.equal(hi, axis["cells"])))
        require_rows(whole, f"row {{}}: its box is not made of squares of {step} cells")


def multiple(column, step):
    return pc.equal(column, pc.multiply(pc.divide(column, step), step))
