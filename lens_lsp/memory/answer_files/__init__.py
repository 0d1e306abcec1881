"""Answers as Markdown: files of their own and blocks inside notes, with all that is needed to check their citations."""
