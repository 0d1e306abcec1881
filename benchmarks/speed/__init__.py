"""The parts of ``python -m benchmarks``: what is measured, against what, and how it is told."""
