"""Settings: options as they are sent (`options`), how they are read (`sources`), what they come to (`loading`).

Precedence, lowest first: defaults, the user's file, the project's ``.lens.toml``, the environment, the client. A
project can leave out more and spend less, and has no word for an endpoint, a key or a program.
"""
