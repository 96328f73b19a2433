"""Floor 5: what a harness runs on each event."""
