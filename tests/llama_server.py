"""llama.cpp's server on loopback with one model, in a process of its own: ``python llama_server.py WEIGHTS``.

It prints its address and serves until standard input ends.
"""

from __future__ import annotations

import sys

import xllamacpp

options = xllamacpp.CommonParams()
options.model.path = sys.argv[1]
options.hostnames = ["127.0.0.1"]
options.port = 0
options.n_ctx = 8_192
options.n_parallel = 1
options.cpuparams.n_threads = 1  # of several, each waits for the slowest where others work as well
options.cache_ram_mib = 0
server = xllamacpp.Server(options)
print(server.listening_address, flush=True)
sys.stdin.read()
