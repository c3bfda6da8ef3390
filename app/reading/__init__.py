"""Reading the files that people choose: in a process of its own for the page, with limits on time and memory.

A file that was made to cost minutes or gigabytes, or to crash a parser, ends that process and nothing else.
"""

from app.reading.file_reader import FileReader, PartRules, ProjectRules
from app.reading.separate_reader import SeparateReader

__all__ = ["FileReader", "PartRules", "ProjectRules", "SeparateReader"]
