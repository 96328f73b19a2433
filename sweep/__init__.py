"""Floor 4: the detached run at turn end."""
