"""Episodes of a language model behind an OpenAI-compatible endpoint: played, saved, resumed, and their figures."""
