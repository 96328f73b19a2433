"""Floor 3: what corrections say of skills: outcomes, rates, trends, and what follows from them."""
