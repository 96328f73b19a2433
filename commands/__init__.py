"""Floor 7: one module a verb; flags in, one call, one result."""
