"""A pool: worlds of one folder, served as one search engine and one web.

`FOLDER/pool.json` names the worlds and whose site each host is. It is written by the first command that wants the pool
and made anew where the folder's worlds are others; its id is a hash of the sorted digests of its worlds, so that the
same worlds in any other folder are the same pool.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from worldsmith.errors import FormatError, NotFoundError, UsageError
from worldsmith.pages.index.dense import Retriever
from worldsmith.pages.index.files import FOLDER
from worldsmith.pages.index.pool import PoolIndex, build_pool_index, open_pool_index
from worldsmith.pages.lengths import Length
from worldsmith.pages.plan import RENDER, Pages
from worldsmith.pages.sites import canonical
from worldsmith.world.files import indented_json, load_world, read_json, read_manifest, tasks_file, write_file
from worldsmith.world.model import World, canonical_json

POOL = "pool.json"
FORMAT = 1


@dataclass(frozen=True, slots=True, repr=False)
class Pool:
    """Worlds as one web: which they are, and which of them each host belongs to."""

    id: str
    folder: Path
    digests: Mapping[str, str]
    """Of each world by its id, in the order of the ids."""
    folders: Mapping[str, Path]
    """The folder of each."""
    hosts: Mapping[str, str]
    """The world of each host."""
    facts: int

    def __repr__(self) -> str:
        """Return its id and size."""
        return f"Pool({self.id!r}, {len(self.digests)} worlds, {len(self.hosts)} sites)"

    @property
    def worlds(self) -> tuple[str, ...]:
        """The ids of its worlds, sorted."""
        return tuple(self.digests)

    @property
    def seed(self) -> int:
        """What draws that belong to no one world hang on."""
        return int(self.id.rpartition("-")[2], 16)

    @property
    def tasks_file(self) -> Path:
        """Where its tasks are kept: FOLDER/_tasks/<pool>.jsonl."""
        return tasks_file(self.folder / self.id)

    def open(self, world: str) -> World:
        """Return one of its worlds. Raises NotFoundError for another, FormatError where it is not what it was."""
        if world not in self.digests:
            raise NotFoundError(f"world {world!r} is not in the pool {self.id}")
        opened = load_world(self.folders[world])
        if opened.digest != self.digests[world]:
            raise FormatError(f"{self.folders[world]}: not the world that {self.id} was made of: start again")
        return opened

    def world_at(self, url: str) -> str | None:
        """Return the world that an address leads to, None where no site of the pool has it."""
        place = canonical(url)
        return self.hosts.get(place.partition("/")[0]) if place else None

    def index(
        self,
        length: Length,
        progress: Callable[[Sequence[str]], Iterator[str]] = iter,
        folder: Path | None = None,
        retriever: Retriever | None = None,
    ) -> PoolIndex:
        """Return the index over its pages: the saved one, or one made now, which takes a CPU second for two worlds.

        `progress` passes the ids of the worlds on, one at a time; `folder` is where indices are kept, beside the worlds
        unless named. A `retriever` ranks by vectors, which are made and kept likewise.
        """
        key = sha256(canonical_json([self.id, RENDER, length])).hexdigest()
        path = (folder or self.folder / FOLDER) / f"{self.id}.{length}"
        index = open_pool_index(path, key)
        if index is None:
            index = build_pool_index(path, key, (Pages(self.open(world), length) for world in progress(self.worlds)))
        return index.ranked_by(retriever, path.with_name(f"{path.name}.dense"), key) if retriever else index


def open_pool(folders: Sequence[Path], progress: Callable[[Sequence[Path]], Iterator[Path]] = iter) -> Pool:
    """Return the pool of worlds that lie in one folder; its record is written there where it is missing or stale.

    `progress` passes the folders on, one at a time, where the worlds have to be opened.

    Raises:
        UsageError: they lie in several folders, or two of them have a host in common.
    """
    parents = {folder.resolve().parent for folder in folders}
    if len(parents) != 1:
        raise UsageError(f"a pool is of the worlds of one folder; these lie in {', '.join(sorted(map(str, parents)))}")
    (parent,) = parents
    infos = [(read_manifest(folder), folder.resolve()) for folder in folders]
    places = {str(info["world"]): folder for info, folder in infos}
    digests = dict(sorted((str(info["world"]), str(info["digest"])) for info, _ in infos))
    facts = sum(int(info["facts"]) for info, _ in infos)
    pool_id = f"pool-{sha256(canonical_json(sorted(digests.values()))).hexdigest()[:10]}"
    path = parent / POOL
    hosts = _recorded_hosts(path, pool_id, digests)
    if hosts is None:
        hosts = _hosts(progress(sorted(folders, key=lambda folder: folder.name)))
        record = {"format": FORMAT, "pool": pool_id, "render": RENDER, "worlds": digests, "hosts": hosts}
        # A folder that is read-only or full: the record only spares the next command opening every world.
        with suppress(OSError):
            write_file(path, indented_json(record))
    return Pool(pool_id, parent, digests, places, hosts, facts)


def _recorded_hosts(path: Path, pool_id: str, digests: Mapping[str, str]) -> dict[str, str] | None:
    """Return the hosts of a record that is of these worlds, None where there is none."""
    try:
        record: Any = read_json(path)
        made_of = {"format": FORMAT, "pool": pool_id, "render": RENDER, "worlds": dict(digests)}
        if record == record | made_of and all(world in digests for world in record["hosts"].values()):
            return {str(host): str(world) for host, world in record["hosts"].items()}
    except (FormatError, NotFoundError, KeyError, TypeError, AttributeError):
        pass
    return None


def _hosts(folders: Iterator[Path]) -> dict[str, str]:
    """Return the world of each host. Raises UsageError that names every world which has another's host."""
    hosts: dict[str, str] = {}
    shared: dict[str, str] = {}
    for folder in folders:
        world = load_world(folder)
        sites = [site.host for site in Pages(world).sites]
        taken = [host for host in sites if host in hosts]
        if taken:
            shared[world.id] = f"{taken[0]} is a site of {hosts[taken[0]]} and of {world.id}"
        else:
            hosts |= dict.fromkeys(sites, world.id)
    if shared:
        raise UsageError(
            f"{'; '.join(shared.values())}: one web can't hold both. Move these folders elsewhere: {', '.join(shared)}"
        )
    return dict(sorted(hosts.items()))
