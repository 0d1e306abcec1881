"""The frozen question set of the five intents. Only the scorer reads it; no engine code imports it."""
