"""Small modules that return a loss, as they are trained: `networks` and `losses` of our own, `language` of transformers."""
