"""Worlds on disk: whole or not there, and what was changed is told."""

import contextlib
import json
import shutil

import pytest

from worldsmith.checking import check
from worldsmith.errors import FormatError, NotFoundError, UsageError
from worldsmith.world import files


@pytest.fixture
def folder(harbour, tmp_path):
    return files.save_world(harbour, tmp_path)


def test_a_world_comes_back_as_it_was(harbour, folder):
    again = files.load_world(folder)
    assert again == harbour
    assert again.digest == harbour.digest
    assert again.schema.switches == harbour.schema.switches
    assert check(again).ok


def test_the_manifest_says_what_made_the_world(harbour, folder):
    info = json.loads((folder / "world.json").read_text())
    assert info["schema"] == "harbour"
    assert info["digest"] == harbour.digest
    assert info["facts"] == harbour.facts
    assert set(info["tables"]) == {"berth", "call", "dues"}
    assert sorted(p.name for p in folder.iterdir()) == ["schema.json", "tables", "world.json"]


def test_saving_again_changes_nothing_and_leaves_nothing_behind(harbour, folder, tmp_path):
    before = {p: p.read_bytes() for p in folder.rglob("*") if p.is_file()}
    files.save_world(harbour, tmp_path)
    assert {p: p.read_bytes() for p in folder.rglob("*") if p.is_file()} == before
    assert [p.name for p in tmp_path.iterdir()] == [harbour.id]


@pytest.mark.parametrize("victim", ["tables/call.jsonl", "tables/berth.jsonl"])
def test_a_changed_byte_is_told_and_the_edited_world_can_still_be_checked(folder, victim):
    path = folder / victim
    path.write_bytes(path.read_bytes().replace(b"1", b"2", 1))
    with pytest.raises(FormatError, match="is not the one the manifest names"):
        files.load_world(folder)
    world = files.load_world(folder, verify=False)
    assert files.manifest_mismatches(world, files.read_json(folder / "world.json"))


@pytest.mark.parametrize(
    ("name", "value"), [("seed", 5), ("world", "../../etc"), ("facts", 1), ("as_of", "2031-05-02"), ("kind", "other")]
)
def test_a_manifest_that_tells_another_world_is_told(folder, name, value):
    info = json.loads((folder / "world.json").read_text()) | {name: value}
    (folder / "world.json").write_text(json.dumps(info))
    with pytest.raises(FormatError, match="it should be"):
        files.load_world(folder)


def test_odd_values_are_told(folder):
    path = folder / "tables" / "call.jsonl"
    before = path.read_text()
    row = json.loads(before.splitlines()[0]) | {"tons": 2**63}
    path.write_text("\n".join([json.dumps(row), *before.splitlines()[1:]]))
    with pytest.raises(FormatError, match=r"call.jsonl, row 1: tons = 9223372036854775808 is beyond"):
        files.load_world(folder, verify=False)
    info = json.loads((folder / "world.json").read_text())
    info["values"]["pilots"] = [{"a": 1}]
    (folder / "world.json").write_text(json.dumps(info))
    path.write_text(before)
    with pytest.raises(FormatError, match="its lists hold more than plain values"):
        files.load_world(folder, verify=False)


def test_one_process_writes_into_a_folder(tmp_path):
    busy = pytest.raises(UsageError, match="another process is writing there")
    with files.locked_folder(tmp_path / "w"), busy, files.locked_folder(tmp_path / "w"):
        pass
    with files.locked_folder(tmp_path / "w"):
        assert list((tmp_path / "w").iterdir()) == []


def test_two_processes_do_not_stage_files_for_one_folder(tmp_path):
    with files.staged_files(tmp_path / "e") as part:
        (part / "a").write_text("first")
        with (
            pytest.raises(UsageError, match="e: another process is writing there; wait for it"),
            files.staged_files(tmp_path / "e"),
        ):
            pass
        assert (part / "a").read_text() == "first"
    assert [file.name for file in (tmp_path / "e").iterdir()] == ["a"]


def test_changed_lists_and_schema_are_told(folder):
    info = json.loads((folder / "world.json").read_text())
    info["values"]["pilots"][0] = "Somebody Else"
    (folder / "world.json").write_text(json.dumps(info))
    with pytest.raises(FormatError, match="value lists are not those"):
        files.load_world(folder)


def test_torn_and_odd_lines_are_named(folder):
    path = folder / "tables" / "call.jsonl"
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(FormatError, match=r"call.jsonl, line \d+: not JSON"):
        files.load_world(folder, verify=False)
    path.write_text('{"code": 1}\n')
    with pytest.raises(FormatError, match=r"call.jsonl, row 1: missing columns: agent, .*tons; take it from a copy"):
        files.load_world(folder, verify=False)


def _edited(folder, edit):
    path = folder / "world.json"
    info = json.loads(path.read_text())
    edit(info)
    path.write_text(json.dumps(info))


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (lambda f: (f / "world.json").write_bytes((f / "world.json").read_bytes()[:200]), "world.json: not JSON"),
        (
            lambda f: (f / "world.json").write_text("[]"),
            'world.json: not a world\'s manifest: it has no number as "format"',
        ),
        (lambda f: _edited(f, lambda info: info.update(format="1")), 'it has no number as "format"'),
        (lambda f: _edited(f, lambda info: info.pop("seed")), "world.json: not a world's manifest: 'seed' is missing"),
        (lambda f: _edited(f, lambda info: info.update(values=3)), "a value is of a wrong type"),
        (lambda f: (f / "schema.json").unlink(), "schema.json: can't be read: No such file"),
        (lambda f: (f / "schema.json").write_text("[]"), "schema.json: not a schema: it holds no object"),
        (lambda f: (f / "schema.json").write_text("{}"), "schema.json: name: name is missing"),
        (lambda f: shutil.rmtree(f / "tables"), "berth.jsonl: can't be read: No such file"),
    ],
)
def test_a_damaged_world_is_a_format_error_with_place_and_fix(folder, damage, says):
    damage(folder)
    with pytest.raises(FormatError) as raised:
        files.load_world(folder)
    text = str(raised.value)
    assert says in text
    assert text.startswith(str(folder))
    assert text.endswith("; take it from a copy, or generate it again")
    assert not any(word in text for word in ("KeyError", "TypeError", "object has no", "not supported"))


def test_a_byte_order_mark_is_no_damage(folder, harbour):
    path = folder / "world.json"
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert files.load_world(folder).digest == harbour.digest


def test_a_write_that_fails_names_the_file_that_was_asked_for(tmp_path):
    (tmp_path / "folder").mkdir()
    for path in (tmp_path / "nowhere" / "a.svg", tmp_path / "folder"):
        with pytest.raises((FileNotFoundError, IsADirectoryError)) as raised:
            files.write_file(path, b"x")
        assert raised.value.filename == str(path)


def test_a_path_without_a_world_gets_the_reason_and_a_fix(tmp_path):
    (tmp_path / "file").write_text("x")
    (tmp_path / "empty").mkdir()
    for name, says in {
        "nowhere": "nowhere: no world there, no such folder .* Name a folder that `worldsmith generate --out` has",
        "file": "file: no world there, it is no folder .* Name a folder",
        "empty": "empty: no world there .* Make some with `worldsmith generate --out .*empty`",
    }.items():
        with pytest.raises(NotFoundError, match=says):
            files.world_folders([tmp_path / name])


def test_a_newer_format_is_refused(folder):
    info = json.loads((folder / "world.json").read_text()) | {"format": 99}
    (folder / "world.json").write_text(json.dumps(info))
    with pytest.raises(FormatError, match="format 99, this version reads up to 1: upgrade"):
        files.load_world(folder)


@pytest.mark.parametrize("text", ["[]", "1", '{"format": 1}', '{"format": "x"}'])
def test_an_odd_manifest_is_said(folder, text):
    (folder / "world.json").write_text(text)
    with pytest.raises(FormatError, match="not a world's manifest"):
        files.load_world(folder, verify=False)


def test_a_manifest_without_digests_is_told(folder):
    info = json.loads((folder / "world.json").read_text())
    del info["digest"], info["tables"]
    assert len(files.manifest_mismatches(files.load_world(folder, verify=False), info)) == 3


@pytest.mark.parametrize("at", range(8))
def test_a_world_that_is_replaced_is_never_gone_for_good(harbour, folder, tmp_path, monkeypatch, at):
    """A crash at any step leaves the old world, the new one, or what the next save puts right."""
    steps = iter(range(100))

    def crash(name):
        real = getattr(files.Path, name)

        def step(self, *args, **kwargs):
            if next(steps) == at:
                raise KeyboardInterrupt
            return real(self, *args, **kwargs)

        monkeypatch.setattr(files.Path, name, step)

    before = {p: p.read_bytes() for p in folder.rglob("*") if p.is_file()}
    with monkeypatch.context():
        for name in ("rename", "mkdir", "open"):
            crash(name)
        with contextlib.suppress(KeyboardInterrupt):
            files.save_world(harbour, tmp_path)
        monkeypatch.undo()
    files.save_world(harbour, tmp_path)
    assert {p: p.read_bytes() for p in folder.rglob("*") if p.is_file()} == before
    assert [p.name for p in tmp_path.iterdir()] == [harbour.id]


def test_no_manifest_is_said(folder):
    (folder / "world.json").write_text("{}")
    with pytest.raises(FormatError, match="not a world's manifest"):
        files.load_world(folder)


def test_folders_without_a_manifest_are_skipped(harbour, folder, tmp_path):
    (tmp_path / "_tasks").mkdir()
    (tmp_path / "half").mkdir()
    shutil.copytree(folder, tmp_path / ".hidden.part")
    assert files.world_folders([tmp_path]) == [folder]
    assert files.world_folders([folder, tmp_path]) == [folder]
    assert files.world_folders([tmp_path / "_tasks", folder]) == [folder]  # a shell's * names both
    with pytest.raises(NotFoundError, match="no world there"):
        files.world_folders([tmp_path / "_tasks"])
    assert files.tasks_file(folder) == tmp_path / "_tasks" / f"{harbour.id}.jsonl"
    with pytest.raises(NotFoundError, match="no world there"):
        files.world_folders([tmp_path / "half"])


def test_lines_split_at_newlines_only(tmp_path):
    rows = [{"text": "a\u2028b"}, {"text": "c\x85d"}]
    files.save_jsonl(tmp_path / "x.jsonl", rows)
    assert files.read_jsonl(tmp_path / "x.jsonl") == rows
    (tmp_path / "bom.jsonl").write_bytes(b'\xef\xbb\xbf{"a": 1}\r\n')
    assert files.read_jsonl(tmp_path / "bom.jsonl") == [{"a": 1}]
    (tmp_path / "blank.jsonl").write_bytes(b'\n{"a": 1}\n\f\n \v\r\n{"a": 2}\n')
    assert files.numbered_jsonl(tmp_path / "blank.jsonl") == [(2, {"a": 1}), (5, {"a": 2})]


def test_a_write_that_fails_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "f"
    files.write_file(path, b"old")

    def full(*_args):
        raise OSError(28, "No space left on device", str(path))

    monkeypatch.setattr(files.os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        files.write_file(path, b"new")
    assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"old"
    assert [p.name for p in tmp_path.iterdir()] == ["f"]


FULL = OSError(28, "No space left on device")


def failing_at(monkeypatch, at, error=FULL):
    """Let the write step number `at` of what follows fail; return the steps."""
    steps = []

    def step(real, name):
        def stepped(*args, **kwargs):
            steps.append(name)
            if len(steps) == at:
                raise error
            return real(*args, **kwargs)

        return stepped

    for owner, name in ((files.os, "fsync"), (files.Path, "mkdir"), (files.Path, "rename"), (files.Path, "replace")):
        monkeypatch.setattr(owner, name, step(getattr(owner, name), name))
    return steps


def tree(folder):
    return {str(p.relative_to(folder)): p.read_bytes() if p.is_file() else None for p in sorted(folder.rglob("*"))}


@pytest.mark.parametrize("error", [FULL, PermissionError(13, "no"), KeyboardInterrupt()])
def test_whatever_write_fails_neither_a_world_nor_its_tasks_are_left(harbour, tmp_path, error):
    at, done, states = 0, False, []
    while not done:
        at += 1
        out = tmp_path / str(at)
        with pytest.MonkeyPatch.context() as monkeypatch:
            steps = failing_at(monkeypatch, at, error)
            with contextlib.suppress(type(error)), files.writing_world(harbour, out) as folder:
                files.save_jsonl(files.tasks_file(folder), [{"world_digest": harbour.digest}])
            done = len(steps) < at
        states.append(sorted(p.name for p in out.iterdir()) if out.exists() else [])
    whole = ["_tasks", harbour.id]
    assert at > 12
    # The last step flushes a folder in which everything stands.
    assert states == [[]] * (at - 2) + [whole] * 2


def test_whatever_write_fails_a_world_that_is_replaced_stays_with_its_tasks(harbour, folder, tmp_path):
    files.save_jsonl(files.tasks_file(folder), [{"world_digest": harbour.digest}])
    before, at, done = tree(tmp_path), 0, False
    while not done:
        at += 1
        with pytest.MonkeyPatch.context() as monkeypatch:
            steps = failing_at(monkeypatch, at)
            with contextlib.suppress(OSError), files.writing_world(harbour, tmp_path):
                pass
            done = len(steps) < at
        assert tree(tmp_path) == before


def test_what_killed_processes_left_is_swept_and_nothing_else(harbour, folder, tmp_path):
    files.save_jsonl(tmp_path / "_tasks" / f"{harbour.id}.jsonl", [{"world_digest": harbour.digest}])
    files.save_jsonl(tmp_path / "_tasks" / "elsewhere.jsonl", [{"world_digest": "of a world that was moved"}])
    (tmp_path / "notes.part").write_text("mine")
    before = tree(tmp_path)
    (tmp_path / ".gone-1.part" / "tables").mkdir(parents=True)  # killed before its folder was renamed
    files.save_jsonl(tmp_path / "_tasks" / "gone-1.jsonl", [{"world_digest": "x"}])
    (tmp_path / "_tasks" / "gone-1.json").write_text("{}")
    (tmp_path / "_tasks" / ".gone-2.jsonl.part").write_text("{")  # killed while it wrote tasks
    (tmp_path / f".{harbour.id}.part").mkdir()  # killed while it replaced a world
    folder.rename(tmp_path / f".{harbour.id}.old")
    files.recover_unfinished(tmp_path)
    assert tree(tmp_path) == before


def test_a_folder_of_files_appears_whole_or_stays_as_it_was(tmp_path):
    out = tmp_path / "e"
    for old in ({}, {"a": b"old", "mine": b"kept"}):
        for name, data in old.items():
            out.mkdir(exist_ok=True)
            (out / name).write_bytes(data)
        before = tree(tmp_path)
        with contextlib.suppress(OSError), files.staged_files(out) as part:
            files.write_file(part / "a", b"new")
            raise OSError(28, "No space left on device")
        assert tree(tmp_path) == before
    with files.staged_files(out) as part:
        (part / "sub").mkdir()
        files.write_file(part / "a", b"new")
        files.write_file(part / "sub" / "b", b"b")
    assert tree(out) == {"a": b"new", "mine": b"kept", "sub": None, "sub/b": b"b"}


def test_many_may_mine_while_nobody_writes_worlds(tmp_path):
    with (
        files.locked_folder(tmp_path, shared=True),
        files.locked_folder(tmp_path, shared=True),
        pytest.raises(UsageError, match="another process is writing there"),
        files.locked_folder(tmp_path),
    ):
        pass
    assert tmp_path.is_dir()
    with files.locked_folder(tmp_path / "new"):
        pass
    assert not (tmp_path / "new").exists()
