"""Opening, continuing and deleting documents, over the app's whole life.

sessions          Sessions: what the page and the terminal ask for
workspace_opener  a session of the log, new or continued, as a workspace
open_workspaces   those that are open at the same time, and closing idle ones
bundles           several documents: opened together, exported together
analyses          words of documents by what is known of them already, before work
logged_documents  the list of documents, open or not
glossary_files    glossary files for an open document
example           the sample document
"""

from app.sessions.sessions import Sessions

__all__ = ["Sessions"]
