"""A simulated translator who knows the goal text: the effort of reaching it by each way of working with the engine."""
