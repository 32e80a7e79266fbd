#!/usr/bin/env python3
"""Tables between zones as other programs publish them, each by its own API and in an environment of its own.

    bench/peers/zone_peers.py PEER TABLE.npy EPSILON OUT.npy      # inside that environment

scripts/bench-zones calls `made`, which sets the environment up in .deps/peers-* (PyPI) and runs this file there. TABLE
has the true counts, zones in the order of a recursive bisection of their places; OUT gets the published ones.

inftda     InfTDA: from all pairs of blocks of zones down to pairs of zones, discrete Gaussian noise, whole numbers that
           are not negative and add up. (epsilon, delta), neighbours replace one trip, the number of trips is public.
           `inftda` has pairs alone, which is best on pairs; `inftda-blocks` blocks of 25 x 25 zones above them, best on
           districts.
opendp-threshold
           OpenDP's count of pairs that occur, listed above a threshold: Laplace noise, (epsilon, delta).

mst        MST with mbi's estimation: with two attributes its tree is the pair of them, so that nothing is spent on
           choosing: both margins for a tenth of the budget, all pairs for the rest, Gaussian noise, then 5,000 steps of
           mirror descent to the graphical model (at 1,000 it is three times as wrong). (epsilon, delta).

All have what we do not take: delta = 1e-6.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
DELTA = 1e-6
PACKAGES = {
    # Later versions of pandas and NumPy break its import.
    "inftda": ["inf-tda==0.1", "pandas==2.2.3", "opendp==0.12.1", "numpy==1.26.4"],
    "opendp": ["opendp==0.12.1", "numpy==1.26.4"],
    "mst": ["mbi==2.0.0", "jax==0.10.2", "jaxlib==0.10.2", "numpy==2.4.6", "scipy==1.17.1"],
}
PEERS = ["inftda", "inftda-blocks", "opendp-threshold", "mst"]


def inftda(table, epsilon, block=None):
    """`block`: zones of a block, whose pairs are the level above; none: pairs alone."""
    import numpy as np
    import pandas as pd
    from InfTDA import inf_tda

    zones = len(table)
    pair = np.arange(zones * zones)
    levels = [pair]
    if block:
        blocks = -(-zones // block)
        levels.insert(0, pair // zones // block * blocks + pair % zones // block)
    data = pd.Series(table.ravel().astype(int), index=pd.MultiIndex.from_arrays(levels))
    found = inf_tda(data, (float(epsilon), DELTA), contribution=1, privacy_type="bounded", distinct_tuples=True)
    out = np.zeros(zones * zones)
    out[found.index.get_level_values(-1)] = found.to_numpy()
    return out.reshape(table.shape)


def opendp_threshold(table, epsilon):
    import numpy as np
    import opendp.prelude as dp

    dp.enable_features("contrib", "floating-point")
    space = dp.map_domain(dp.atom_domain(T="i32"), dp.atom_domain(T=float)), dp.l1_distance(T=float)

    def counted(threshold):
        return dp.m.make_laplace_threshold(*space, scale=1 / float(epsilon), threshold=float(threshold))

    # The least threshold with that delta; a scale of 1/epsilon is epsilon for one trip.
    low, high = 1, 10 ** 6
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if counted(middle).map(1.0)[1] <= DELTA else (middle + 1, high)
    flat = table.ravel()
    there = np.flatnonzero(flat)
    listed = counted(low)(dict(zip(there.tolist(), flat[there].astype(float).tolist())))
    out = np.zeros(flat.size)
    out[list(listed)] = list(listed.values())
    return out.reshape(table.shape)


def mst(table, epsilon, steps=5000):
    import jax
    import numpy as np

    jax.config.update("jax_enable_x64", True)  # as it advises beyond 100,000 trips
    from mbi import Domain, estimation, marginal_loss

    log = np.log(1 / DELTA)
    rho = (np.sqrt(epsilon + log) - np.sqrt(log)) ** 2  # of zero-concentrated privacy
    random = np.random.default_rng()
    measured = []
    for clique, exact, share in ((("o",), table.sum(1), 0.05), (("d",), table.sum(0), 0.05), (("o", "d"), table, 0.9)):
        sd = np.sqrt(1 / (2 * share * rho))
        noisy = exact.ravel() + random.normal(0, sd, exact.size)
        measured.append(marginal_loss.LinearMeasurement(noisy, clique, sd))
    model = estimation.MirrorDescent().estimate(Domain(["o", "d"], table.shape), measured, iters=steps)
    return np.asarray(model.project(("o", "d")).values, dtype=float).reshape(table.shape)


def made(peer, table, epsilon):
    """The table that a peer publishes; run from anywhere. Fails with the peer's last words."""
    import numpy as np
    from compare import python_of

    group = peer.split("-")[0]
    python, why = python_of(f"zones-{group}", PACKAGES[group])
    if python is None:
        raise RuntimeError(f"{peer} cannot be installed: {why}")
    with tempfile.TemporaryDirectory() as folder:
        source, target = f"{folder}/table.npy", f"{folder}/out.npy"
        np.save(source, table)
        done = subprocess.run([python, __file__, peer, source, str(epsilon), target], capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"{peer}: {(done.stderr.strip().splitlines() or ['?'])[-1]}")
        return np.load(target)


def main():
    import numpy as np

    peer, source, epsilon, target = sys.argv[1:]
    table = np.load(source)
    run = {"inftda": inftda, "inftda-blocks": lambda t, e: inftda(t, e, 25), "opendp-threshold": opendp_threshold,
           "mst": mst}
    np.save(target, run[peer](table, float(epsilon)))


if __name__ == "__main__":
    main()
