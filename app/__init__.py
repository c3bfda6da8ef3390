"""The workbench: documents, glossaries, the log of each session, and the page that shows them.

Documents, glossaries, the log and exports are plain logic without the page or the model.
"""

from typing import Final

VERSION: Final = "0.2.0"
