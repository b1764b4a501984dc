"""Language without a schema: morphology and phrases, a module per language and use."""
