"""Floor 2: the session logs that harnesses keep, read only."""
