"""Harnesses that run for as long as they are told to; the suite runs them short."""
