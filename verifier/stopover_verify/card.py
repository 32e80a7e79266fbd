"""The card: what a release promises, in words. They follow from its figures, and no hash that is signed covers them.

So a verifier makes them again: a forger could otherwise let a signed release promise what nobody signed. Releases of
format 1 may have any words.
"""
import math

from stopover_verify.broken import require
from stopover_verify.period import PERIODS_OF_A_YEAR, kind_and_size
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


def all_periods(head):
    """Of one release over several periods, for what a person does in one of them: (kind, how many); else nothing."""
    if head["unit"] != "user" or not head["params"].get("unit_period"):
        return None
    kind, size = kind_and_size(head["params"].get("period", ""))
    return (kind, size) if size > 1 else None


def times(epsilon, count):
    return decimal(ticks_of(epsilon) * count)


def unit_in_words(head):
    k, per, several = head["k"], head["params"].get("unit_period"), all_periods(head)
    trips = f"{k} trip" + ("" if k == 1 else "s")
    if head["unit"] == "trip":
        return "one trip"
    if not per:
        return f"one person with at most {trips} in the data"
    said = f"what one person does in one {per}, with at most {trips} in it"
    if several:
        kind, size = several
        said += f"; epsilon {times(head['epsilon'], size)} for a person in all of its {size} {kind}s"
    return said


def becomes(ticks):
    """What whoever was half sure becomes."""
    percent = 100 / (1 + math.exp(-ticks / TICKS))
    if percent >= 99.5:
        return "may become more than 99 % sure: this epsilon promises very little."
    return f"becomes at most {percent:.0f} % sure by seeing this release, whatever else they know."


def belief(head):
    ticks, several = ticks_of(head["epsilon"]), all_periods(head)
    if several:
        return (f"Of one {several[0]}: someone 50 % sure that your trips of that {several[0]} are in the data, who knows all "
                f"of your other {several[0]}s, {becomes(ticks)}")
    what = "you are in the data" if head["unit"] == "user" else "a certain trip is in the data"
    return f"Someone 50 % sure that {what} {becomes(ticks)}"


def limit_of_a_year(params):
    limit = params.get("budget_per_year")
    return f"The ledger allows no year more than {limit}." if limit else "The ledger sets no other limit to a year."


def in_all_periods(head):
    """What the card says of somebody in all periods of one release."""
    k, epsilon, (kind, size) = head["k"], head["epsilon"], all_periods(head)
    return [f"This one release covers {size} {kind}s, {head['params']['period']}. Of each of them it reveals at most epsilon "
            f"{epsilon} about you, with all of your at most {k} trips in it together.",
            f"If you travel in all of them the losses add: with your at most {k * size} trips in it you are protected at "
            f"epsilon {times(epsilon, size)} by this release alone. Someone 50 % sure that you are in the data "
            f"{becomes(ticks_of(epsilon) * size)}",
            f"It is charged to each of its {kind}s, on top of what releases of a single {kind} cost. "
            f"{limit_of_a_year(head['params'])}",
            "The budget renews; what was revealed does not expire."]


def over_time(head):
    """What the card says of somebody with several trips, or in several releases."""
    params, k, epsilon = head["params"], head["k"], head["epsilon"]
    per = params.get("unit_period")
    if head["unit"] == "user" and not per:
        return [f"A person is protected as a whole, with all of the at most {k} trips together."]
    if all_periods(head):
        return in_all_periods(head)
    if head["unit"] == "user":
        year = PERIODS_OF_A_YEAR.get(per, 1)
        return [f"Each {per} by itself reveals at most epsilon {epsilon} about you, with all of your at most {k} trips in it "
                "together.",
                f"If you travel every {per} the losses add: a year of {year} such releases is at most {times(epsilon, year)}. "
                f"{limit_of_a_year(params)}",
                "The budget renews; what was revealed does not expire."]
    said = ["The unit is one trip, not one person: somebody with n trips in the data is protected at n times this epsilon."]
    if params.get("period"):
        kind, size = kind_and_size(params["period"])
        said.append((f"This is one release over {size} {kind}s, {params['period']}. A trip lies in one of them, by its time. "
                     "Releases of one of them, and of others that include it, tell more about the same trip: their epsilons add "
                     "up." if size > 1 else
                     f"This is {params['period']} of a series. A trip lies in one period, by its time: the releases of other "
                     "single periods tell nothing more about it. A release over several periods that include this one tells "
                     "more: their epsilons add up.") +
                    " A trip over the border of two is cut, and each piece is protected by itself.")
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


def in_earlier_words(card):
    """As published before cards named releases over several periods."""
    return card | {"promise": [
        said.replace("of other single periods tell", "of other periods tell")
        .replace(" A release over several periods that include this one tells more: their epsilons add up.", "")
        for said in card["promise"]]}


def check_card(head):
    if head["format"] == 1:
        return
    expected = private_card(head) if head["randomness"] == "system" else open_card(head)
    require(head["guarantee"] in (expected, in_earlier_words(expected)), "its card says something else than follows from its figures")
