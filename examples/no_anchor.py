"""No rows of my own: an order by closeness to the average, and an honest "the data cannot tell"."""

import numpy as np

import karat

draw = np.random.default_rng(0)


def contaminated(share, rows=500):
    moved = draw.random((rows, 1)) < share
    return draw.normal(size=(rows, 3)) + 2.0 * moved


market = {f"{share:.0%} bad": contaminated(share) for share in (0.0, 0.1, 0.2, 0.3, 0.4)}
appraisal = karat.appraise(market)
print(appraisal.heading)
print("ranked:", appraisal.is_ranked, "| one direction:", appraisal.identifiability.is_one_direction)
print("order without an anchor:", [vendor.name for vendor in appraisal.ranking])

with_anchor = karat.appraise(market, anchor=draw.normal(size=(20, 3)))
print("order with 20 rows of my own:", [vendor.name for vendor in with_anchor.ranking])
