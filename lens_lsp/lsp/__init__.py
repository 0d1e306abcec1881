"""The language server, a door: the only package that knows pygls (docs/explanation/language-server.md)."""
