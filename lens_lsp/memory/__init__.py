"""What earlier questions left behind, kept on disk and never trusted without another look at the sources."""
