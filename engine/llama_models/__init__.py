"""Language models in GGUF files, computed by llama.cpp: for people without a GPU, in 4 to 8 bits.

llama-cpp-python is an extra (`pip install 'pinpoint[llama]'`) and is imported only when such a file is loaded.
"""

from engine.llama_models.gguf_files import check_device, load_gguf

__all__ = ["check_device", "load_gguf"]
