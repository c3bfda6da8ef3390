"""The workbench: documents, glossaries, the log of a session, and the page that shows them.

Documents, glossaries, log and exports are plain logic: they know neither the page nor the model.
"""

from typing import Final

VERSION: Final = "0.1.0"
