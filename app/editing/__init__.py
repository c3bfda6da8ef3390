"""What a person does to a document beyond one segment's text."""
