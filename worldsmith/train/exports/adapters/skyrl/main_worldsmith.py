"""SkyRL's own training entrypoint with this environment registered: `python main_worldsmith.py KEY=VALUE...`."""

import sys

import ray
from skyrl.train.config import SkyRLTrainConfig
from skyrl.train.entrypoints.main_base import BasePPOExp
from skyrl.train.utils import validate_cfg
from skyrl.train.utils.utils import initialize_ray
from worldsmith_env import register


@ray.remote(num_cpus=1)
def train(cfg: SkyRLTrainConfig) -> None:
    """Train in a process of Ray's: environments are played there, so they are registered there."""
    register()
    BasePPOExp(cfg).run()


def main() -> None:
    """Read the settings, check them and train."""
    cfg = SkyRLTrainConfig.from_cli_overrides(sys.argv[1:])
    validate_cfg(cfg)
    initialize_ray(cfg)
    ray.get(train.remote(cfg))


if __name__ == "__main__":
    main()
