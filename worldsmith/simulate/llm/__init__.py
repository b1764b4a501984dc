"""Language models as world models: prompts, the client, and the texts they write read back into drafts."""
