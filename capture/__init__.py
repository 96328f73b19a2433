"""Floor 1: what a message says (detector) and where it is kept (the .knowledge logs)."""
