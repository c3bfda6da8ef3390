"""The rules of projects for documents that are opened later: segmentation rules (SRX), read when they are chosen.

Rules for the parts of files, such as the keys of JSON, are kept beside them.
"""

from __future__ import annotations

from app.access.actor import Actor
from app.errors import CommandError
from app.formats.documents import Export
from app.formats.srx import RuleFile
from app.projects import Projects
from app.reading import FileReader, ProjectRules
from app.text.encoding import safe_name
from app.workspace.commands import Workspace


class Segmentation:
    """The rules of each project."""

    def __init__(self, projects: Projects, files: FileReader) -> None:
        self._projects = projects
        self._files = files

    def of(self, project_id: int) -> RuleFile | None:
        """The rules of a project; None if it has none."""
        return self._projects.rule_file(project_id) if project_id else None

    def of_project(self, project_id: int) -> ProjectRules:
        """All rules of a project for new documents."""
        return ProjectRules(self.of(project_id), self._projects.part_rules(project_id) if project_id else ())

    def for_new(self, actor: Actor, direction: str) -> ProjectRules:
        """The rules for a new document in this language pair."""
        return self.of_project(self._projects.for_new(actor, direction).id)

    def choose(self, actor: Actor, workspace: Workspace, project_id: int, data: bytes, name: str) -> None:
        """Gives a project these rules. Documents that were opened before keep their segments.

        Raises DocumentError for rules that cannot be used.
        """
        self._projects.managed(actor, project_id)
        name = safe_name(name, "rules.srx")
        num_rules = self._files.num_rules(data, name)
        self._projects.choose_rules(actor, workspace, project_id, RuleFile(name, data), num_rules)

    def remove(self, actor: Actor, workspace: Workspace, project_id: int) -> None:
        """Takes the rules of a project away."""
        self._projects.choose_rules(actor, workspace, project_id, None, 0)

    def download(self, actor: Actor, project_id: int) -> Export:
        """The file with the rules of a project, unchanged."""
        self._projects.get(actor, project_id)
        rules = self.of(project_id)
        if rules is None:
            raise CommandError("This project has no segmentation rules: choose an .srx file first.")
        return Export(rules.name, rules.data)
