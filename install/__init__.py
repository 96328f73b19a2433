"""Floor 6: hooks into a harness's settings and out again; doctor."""
