"""How many people a machine can serve: costs measured, work simulated step by step, and a real worker under load."""
