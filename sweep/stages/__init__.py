"""The stages of a sweep, one module each, and their table."""
