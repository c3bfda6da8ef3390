"""Gradio's side of the app: one page with one component, and the server that carries it. No logic of its own."""
