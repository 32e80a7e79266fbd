#!/usr/bin/env python3
"""Publishes the trips beside this file and asks the release, from Python.

  publish_and_ask.py FOLDER        a new folder to write into
"""
import sys
from pathlib import Path

import stopover as so

folder = Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
city = so.Domain(bbox=(-122.52, 37.70, -122.36, 37.84), grid=(64, 64))
release = so.publish(Path(__file__).parent / "trips.csv", city, shape_of="trips", unit="trip", epsilon=1,
                     ledger=folder / "city.ledger", budget=1, to=folder / "city.odr")

answer = release.count(origin=so.circle(37.79, -122.40, km=2))
print(f"{answer.estimate:.0f} trips, likely {answer.lower:.0f} to {answer.upper:.0f}")
