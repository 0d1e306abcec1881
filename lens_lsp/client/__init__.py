"""What a door needs that works as an editor does: a language server in a child process, and requests to it."""
