"""The server of episodes: `uvicorn server.app:app --port 8100`, in the folder of this export.

WORLDSMITH_MAX_ENVS is the number of episodes at a time, 512 unless set: OpenEnv refuses further sessions.
"""

import argparse
import os

import uvicorn
from openenv.core.env_server.http_server import create_app
from worldsmith_env.models import WorldsmithAction, WorldsmithObservation

from server.environment import ENV_NAME, WorldsmithEnvironment

MAX_ENVS = int(os.environ.get("WORLDSMITH_MAX_ENVS", "512"))

app = create_app(
    WorldsmithEnvironment,
    WorldsmithAction,
    WorldsmithObservation,
    env_name=ENV_NAME,
    max_concurrent_envs=MAX_ENVS,
)


def main() -> None:
    """Serve on a port."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8100)
    options = parser.parse_args()
    uvicorn.run(app, host=options.host, port=options.port)


if __name__ == "__main__":
    main()
