"""What makes a release: locks, wheelhouses, artefacts and what is told of them (docs/how-to/release.md)."""
