"""A release of format 1 that was written anew as format 2: it names the hash that its content had before."""
from stopover_verify.broken import require
from stopover_verify.hashes import content_hash

NEW_KEYS = {"upgraded_from", "randomness"}


def check_upgrade(head):
    """`upgraded_from` is made again from the content, so that nobody can claim another's hash."""
    if "upgraded_from" not in head:
        return
    said = head["randomness"]
    require(said != "not told" and not {"description", "probes"} & set(head) and "zones" not in head["domain"],
            "it says upgraded_from, but format 1 cannot say what it says")
    old = {key: value for key, value in head.items() if key not in NEW_KEYS} | {"format": 1}
    if said.startswith("repeatable:"):
        old["params"] = old["params"] | {"test_key": said.partition(":")[2]}
    require(content_hash(old) == head["upgraded_from"], "its content in format 1 does not have the hash upgraded_from")


def hashes_of(head):
    """Under which hashes it is known: to signatures, notes and ledgers."""
    return [head["content_sha256"], *([head["upgraded_from"]] if "upgraded_from" in head else [])]
