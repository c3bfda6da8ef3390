"""What the model is asked and when, and which model answers."""
