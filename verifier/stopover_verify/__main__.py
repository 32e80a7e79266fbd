"""python -m stopover_verify"""
from stopover_verify.command import run

run()
