"""Any model of the transformers library, decoded by the engine's search: codec, decoders, prompts.

transformers is an extra (`pip install 'pinpoint[transformers]'`) and is imported only when such a model is loaded.
"""

from engine.transformers_models.model_folders import load_folder
from engine.transformers_models.prompted import PromptedModel, PromptPipeline

__all__ = ["PromptPipeline", "PromptedModel", "load_folder"]
