"""Instruments that look at the passages of `lens find` from outside: where they are cut, and what they hold.

Nothing here shares code with what cuts the passages: each instrument reads the raw files with a reader of its own.
"""
