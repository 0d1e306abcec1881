"""The server for agents, over the Model Context Protocol on standard input and output: a client of the language server.

Only this package knows the protocol's SDK. What an agent is given is data: read-only, cited, without what is private or
a secret, and told apart from our own words.
"""
