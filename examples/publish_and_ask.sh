#!/usr/bin/env bash
# Publishes the trips beside this file and asks the release, with the command line.
#
#   publish_and_ask.sh FOLDER        a new folder to write into
set -euo pipefail
trips=$(realpath "$(dirname "$0")/trips.csv")
mkdir -p "$1"
cd "$1"

stopover publish "$trips" --shape-of trips --bbox -122.52,37.70,-122.36,37.84 --grid 64x64 --unit trip \
  --epsilon 1 --ledger city.ledger --budget 1 -o city.odr >&2

stopover query city.odr --stop origin=circle:37.79,-122.40,2
