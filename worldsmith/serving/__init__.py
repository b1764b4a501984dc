"""The fake search engine over HTTP: every dialect at once, many worlds behind one process.

The process holds worlds and nothing else: no task, no gold, no clock in a reply, no outbound connection. A reply
depends on the world, the address, the call and the attempt; dialects differ in wording alone.
"""

from worldsmith.serving.app import create_app
from worldsmith.serving.listen import serve
from worldsmith.serving.responder_cache import ResponderCache
from worldsmith.simulate.pool import MEMORY

__all__ = ["MEMORY", "ResponderCache", "create_app", "serve"]
