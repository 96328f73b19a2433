"""Floor 0: shapes, paths, settings, the policy gate, files, locks, scrubbing, errors."""
