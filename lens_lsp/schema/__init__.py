"""Every JSON shape that leaves the process: evidence and findings, answers, events, clusters, checks.

One place for all front ends, so that what a script reads, the rows of an evaluation and the checks that read them
agree. Key order is fixed and mappings are sorted: equal results give equal bytes, except for ``ledger.seconds``.
"""
