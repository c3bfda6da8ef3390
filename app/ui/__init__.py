"""The web page of the app: its server, the messages that page and server exchange, and the page's scripts."""
