"""Floor 4: the sweep: trigger (quiet interval, lock, spawn), run (stages) and what it keeps of each session."""
