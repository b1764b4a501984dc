"""From a call to an observation: protocol, perturbations, guard, language models, store, traces."""
