"""A claim about the inspector; the first that does not hold ends the check."""


def check(claim, what):
    if not claim:
        raise SystemExit(f"check-inspector: {what}")
