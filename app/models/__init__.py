"""Translation models: which ones there are, how one is loaded, and the direction and style that it is asked for."""
