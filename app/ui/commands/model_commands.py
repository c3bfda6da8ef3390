"""Commands about models: which there are, downloads, and the model of the document."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from app.access.actor import Actor
from app.models.document_direction import targets_by_source
from app.segments import Json
from app.sessions import Sessions
from app.ui import model_results as r
from app.ui.commands.command import Command
from app.ui.schemas import Name
from app.workspace.commands import Workspace
from engine import available_bytes


class ListDirections(Command):
    """The language pairs of a model; null: of the one in use."""

    name: Literal["directions"]
    result: ClassVar[Any] = r.LanguagePairs
    model: Name | None = None

    def run(self, actor: Actor, sessions: Sessions, workspace: Workspace) -> Json:
        return {"directions": targets_by_source(sessions.models.directions(workspace.model_use, self.model))}


class ListModels(Command):
    """The models that can be chosen."""

    name: Literal["models"]
    result: ClassVar[Any] = r.ModelOffers

    def run(self, actor: Actor, sessions: Sessions, workspace: Workspace) -> Json:
        access = sessions.store.people.access(actor)
        offers = sessions.models.catalog.offers(workspace.direction, workspace.model)
        return {
            "models": offers,
            "free_bytes": available_bytes(sessions.model.device),
            "can_add": access.may_add_models,
            "can_remove": access.may_administer,
        }


class ListPublishedModels(Command):
    """The models that can be downloaded, for a direction or, with null, for the document's.

    Only with `is_update`, the list is read from the registry.
    """

    name: Literal["published_models"]
    result: ClassVar[Any] = r.PublishedOffers
    direction: Name | None = None
    is_update: bool

    def run(self, actor: Actor, sessions: Sessions, workspace: Workspace) -> Json:
        if self.is_update:
            sessions.store.people.access(actor).check_adds_models()
        return sessions.models.catalog.offers_to_download(self.direction, workspace.direction, is_update=self.is_update)


class ListPairs(Command):
    """The directions that two models have through a language between, and the models for one of them.

    `direction` is the wanted one; with null, it is the document's, or else the first.
    """

    name: Literal["model_pairs"]
    result: ClassVar[Any] = r.PairOffers
    direction: Name | None = None

    def run(self, actor: Actor, sessions: Sessions, workspace: Workspace) -> Json:
        return sessions.models.catalog.offers_of_pairs(self.direction, workspace.direction, workspace.model)


class ModelCommand(Command):
    """A command that changes which models there are, or which ones are waited for."""

    changes_models: ClassVar[bool] = True


class DownloadModel(ModelCommand):
    """Downloads a published model and installs it."""

    name: Literal["download_model"]
    model: Name

    def run(self, actor: Actor, sessions: Sessions, workspace: Workspace) -> None:
        sessions.store.people.access(actor).check_adds_models()
        sessions.models.download(actor, workspace.model_use, self.model)


class InstallUpload(ModelCommand):
    """Installs the model whose files were uploaded under this id.

    `folder` is the name of their folder or ZIP file, or "".
    """

    name: Literal["install_upload"]
    upload: Name
    folder: Name

    def run(self, actor: Actor, sessions: Sessions, workspace: Workspace) -> None:
        sessions.store.people.access(actor).check_adds_models()
        sessions.models.install_upload(actor, workspace.model_use, self.upload, self.folder)


class RemoveModel(ModelCommand):
    """Removes an installed model from this computer."""

    name: Literal["remove_model"]
    result: ClassVar[Any] = r.RemovedModel
    key: Name

    def run(self, actor: Actor, sessions: Sessions, workspace: Workspace) -> Json:
        sessions.store.people.access(actor).check_administers()
        return sessions.models.remove(self.key)


class SwitchModel(ModelCommand):
    """Translates with another model, or with two through a language between, which are downloaded if need be."""

    name: Literal["switch_model"]
    key: Name

    def run(self, actor: Actor, sessions: Sessions, workspace: Workspace) -> None:
        if sessions.models.catalog.pivots.needs_download(self.key):
            sessions.store.people.access(actor).check_adds_models()
        sessions.models.switch(actor, workspace.model_use, self.key)


class FetchModel(ModelCommand):
    """Downloads a model of the hub."""

    name: Literal["fetch_model"]
    model: Name

    def run(self, actor: Actor, sessions: Sessions, workspace: Workspace) -> None:
        sessions.store.people.access(actor).check_adds_models()
        sessions.models.fetch(actor, workspace.model_use, self.model.strip())


class LookUpModel(Command):
    """The size and licence of a model of the hub, before it is downloaded."""

    name: Literal["look_up_model"]
    result: ClassVar[Any] = r.HubOffer
    model: Name

    def run(self, actor: Actor, sessions: Sessions, workspace: Workspace) -> Json:
        sessions.store.people.access(actor).check_adds_models()
        return sessions.models.look_up(workspace.model_use, self.model.strip())


class OpenModel(ModelCommand):
    """Translates with the model in a folder or file of the server, which is named by its path."""

    name: Literal["open_model"]
    path: Name

    def run(self, actor: Actor, sessions: Sessions, workspace: Workspace) -> None:
        sessions.store.people.access(actor).check_administers()
        sessions.models.open(actor, workspace.model_use, self.path.strip())


class StopModel(ModelCommand):
    """Stops a download, or a model that is still loading."""

    name: Literal["stop_model"]

    def run(self, actor: Actor, sessions: Sessions, workspace: Workspace) -> None:
        sessions.models.stop(workspace.model_use)
