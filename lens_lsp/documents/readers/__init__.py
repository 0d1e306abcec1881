"""One module per kind of document. They run in the worker only, and import their libraries there."""
