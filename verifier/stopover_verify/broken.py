"""Broken: a rule of releases that does not hold. Its text says which, and where."""


class Broken(Exception):
    pass


def require(rule, message):
    if not rule:
        raise Broken(message)
