"""The card: what a release promises, in words. They follow from its figures, and no hash that is signed covers them.

So a verifier makes them again: a forger could otherwise let a signed release promise what nobody signed. Releases of
format 1 may have any words.
"""
import math

from stopover_verify.broken import require
from stopover_verify.period import PERIODS_OF_A_YEAR
from stopover_verify.receipt import TICKS, ticks_of

NOT_COVERED = [
    "What was declared beforehand and not taken from the data: the bounding box, the grid, the stops and their time windows, "
    "the zones, and the most trips a person may have.",
    "Anyone with access to the curator's machine or to the data.",
    "How long the offline run that made this release took.",
    "Whoever can break the stream cipher from which the noise is drawn.",
    "Other releases from the same data: their epsilons add up. The ledger keeps the sum of those made with it.",
    "What is true of people in general, with or without any one of them in the data."]


def decimal(ticks):
    return f"{ticks // TICKS}.{ticks % TICKS:09d}".rstrip("0").rstrip(".")


def unit_in_words(head):
    k, per = head["k"], head["params"].get("unit_period")
    trips = f"{k} trip" + ("" if k == 1 else "s")
    if head["unit"] == "trip":
        return "one trip"
    return f"what one person does in one {per}, with at most {trips} in it" if per else f"one person with at most {trips} in the data"


def belief(head):
    what = "you are in the data" if head["unit"] == "user" else "a certain trip is in the data"
    percent = 100 / (1 + math.exp(-ticks_of(head["epsilon"]) / TICKS))
    if percent >= 99.5:
        return f"Someone 50 % sure that {what} may become more than 99 % sure: this epsilon promises very little."
    return (f"Someone 50 % sure that {what} becomes at most {percent:.0f} % sure by seeing this release, whatever else they "
            "know.")


def over_time(head):
    """What the card says of somebody with several trips, or in several releases."""
    params, k, epsilon = head["params"], head["k"], head["epsilon"]
    per, limit = params.get("unit_period"), params.get("budget_per_year")
    if head["unit"] == "user" and not per:
        return [f"A person is protected as a whole, with all of the at most {k} trips together."]
    if head["unit"] == "user":
        year = PERIODS_OF_A_YEAR.get(per, 1)
        most = f"The ledger allows no year more than {limit}." if limit else "The ledger sets no other limit to a year."
        return [f"Each {per} by itself reveals at most epsilon {epsilon} about you, with all of your at most {k} trips in it "
                "together.",
                f"If you travel every {per} the losses add: a year of {year} such releases is at most "
                f"{decimal(ticks_of(epsilon) * year)}. {most}",
                "The budget renews; what was revealed does not expire."]
    said = ["The unit is one trip, not one person: somebody with n trips in the data is protected at n times this epsilon."]
    if params.get("period"):
        said.append(f"This is {params['period']} of a series. A trip lies in one period, by its time: the releases of other "
                    "periods tell nothing more about it. A trip over the border of two is cut, and each piece is protected by "
                    "itself.")
    return said


def day_type(head):
    """What the card says of a release of some days of the week."""
    kind = head["params"].get("day_type")
    return [f"It holds trips of day type {kind}. Releases of the period's other day types tell of other trips: all of them "
            "together come to the epsilon of one."] if kind else []


def sources(params):
    """What estimates are made of: the counts, and what was public before them."""
    earlier = len(params["history"].split(",")) if params.get("history") else 0
    more = f" and {earlier} earlier release{'' if earlier == 1 else 's'} of the series" if earlier else ""
    more += " and a public table" if params.get("prior") else ""
    return "the counts" + more if more else "the counts alone"


def private_card(head):
    epsilon, per = head["epsilon"], head["params"].get("unit_period")
    whose = "one trip" if head["unit"] == "trip" else "all trips of one person" + (f" in one {per}" if per else "")
    return {"title": f"Pure differential privacy with epsilon {epsilon} for {unit_in_words(head)}.",
            "promise": [f"Compare two data sets that differ by {whose} added or removed: no outcome of the release is more than "
                        f"e^{epsilon} times as likely under one as under the other.", belief(head), *over_time(head), *day_type(head),
                        "Everything in this release is covered: boundaries, counts, estimates and this text. "
                        f"{head['spent']} of the {epsilon} was spent.",
                        "Counts carry exact discrete Laplace noise, are never rounded or clamped and may be negative; estimates "
                        f"are computed from {sources(head['params'])} and cost nothing."],
            "not_covered": NOT_COVERED}


def open_card(head):
    """Of a release that protects nobody."""
    repeatable, _, key = head["randomness"].partition(":")
    if repeatable == "repeatable":
        title = f"No privacy: made with a repeatable key ({key}), for tests and made-up data alone."
        nothing = ("Nothing. Whoever knows the name of the key can draw the same noise and take it away: what is left are the "
                   "true counts.")
    else:
        title = "No privacy is promised: where the randomness of this release came from is not told."
        nothing = "Nothing. Noise protects only if nobody can draw it again, and nobody says so here."
    return {"title": title,
            "promise": [nothing, f"Epsilon {head['epsilon']} for {unit_in_words(head)} is what it would cost and promise under a "
                                 "fresh key of the system, which is drawn once and never stored. Such a release is made by "
                                 "stopover publish."],
            "not_covered": ["Everybody in the data, and everything about them."]}


def check_card(head):
    if head["format"] == 1:
        return
    expected = private_card(head) if head["randomness"] == "system" else open_card(head)
    require(head["guarantee"] == expected, "its card says something else than follows from its figures")
