"""Reading: YAML 1.1 as OmegaConf reads it, positions, and nothing but ConfigError for any text."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from omegaconf import OmegaConf

from flows.config.compose import compose
from flows.config.interpolate import resolve
from flows.config.read import read, read_yaml
from flows.errors import ConfigError

FILE = Path("any.yaml")
PIECES = st.sampled_from(
    [
        *("a", "b: ", "- ", "\n", "  ", "{", "}", "[", "]", "&x ", "*x", "<<: ", '"', "'", "\\U"),
        *("%YAML 9", "---\n", "...\n", "!!int ", "!", "${", "${a}", ":", "?", "|", ">", "#"),
        *("\t", "0x", "1:", "???", "é"),
    ]
)


def refused(act: Callable[[], object]) -> str | None:
    """The file that a ConfigError names; None when nothing is wrong. Other errors pass."""
    try:
        act()
    except ConfigError as error:
        return error.place.origin if error.place else ""
    return None


@pytest.mark.long("hundreds of texts made at random")
@settings(max_examples=300, deadline=None)
@given(st.one_of(st.text(max_size=200), st.lists(PIECES, max_size=30).map("".join)))
@example("a: !!int 0b_")
@example("[" * 3000)
@example("a: " + "${" * 300)
@example("a: " + "{b: " * 500)
def test_any_text_is_read_or_refused(text: str) -> None:
    assert refused(lambda: resolve(read_yaml(text, FILE).tree)) in (None, "any.yaml")


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, data: bytes
) -> None:
    file = tmp_path_factory.getbasetemp() / "bytes.yaml"
    file.write_bytes(data)
    assert refused(lambda: read(file)) in (None, str(file))


def test_scalars_follow_omegaconf() -> None:
    text = (
        "a: yes\nb: 012\nc: 1:30\nd: 2007-01-02\ne: 1e3\nf: off\ng: ~\nh: .5\ni: 0x1F\nj: '7'\n"
        "k: 1_000\nl: null\nm: |\n  x\n  y\nn: .inf\no: 1.\np: ''\nq: ! 7\n"
    )
    assert read_yaml(text, FILE).values == OmegaConf.to_container(OmegaConf.create(text))


def test_keys_are_text_as_written() -> None:
    assert read_yaml("on: 1\n2007: a\n", FILE).values == {"on": 1, "2007": "a"}


def test_aliases_and_merge_keys() -> None:
    text = "base: &b {x: 1, y: 2}\nother: {<<: *b, y: 3}\nlist: [*b]\n"
    document = read_yaml(text, FILE)
    assert document.values["other"] == {"x": 1, "y": 3}
    assert document.values["list"] == [{"x": 1, "y": 2}]
    assert str(document.place(("other", "x"))) == "any.yaml:1:14"


def test_positions_count_characters_after_a_byte_order_mark(tmp_path: Path) -> None:
    file = tmp_path / "bom.yaml"
    file.write_bytes("\ufeffé: 1\nb: {ü: [x, y]}\n".encode())
    document = read(file)
    place = document.place(("b", "ü", 1))
    assert (place.line, place.column) == (2, 12)
    key = document.key_place(("b", "ü"))
    assert (key.line, key.column) == (2, 5)


@pytest.mark.parametrize(
    ("mistyped", "meant"),
    [("profil.yaml", None), ("salse.yaml", "sales.yml"), ("demo", "demos.yml")],
)
def test_a_mistyped_name_is_compared_with_files_of_its_kind(
    tmp_path: Path, mistyped: str, meant: str | None
) -> None:
    for name in ("profile.html", "sales.yml", "sales.csv", "demos.yml"):
        (tmp_path / name).write_text("a: 1\n")
    with pytest.raises(ConfigError, match="no such file") as caught:
        read(tmp_path / mistyped)
    assert caught.value.meant == (str(tmp_path / meant) if meant else None)


def test_what_is_no_file_is_named_for_what_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("dangling.yaml").symlink_to("gone.yaml")
    Path("loop.yaml").symlink_to("loop.yaml")
    Path("folder.yaml").mkdir()
    Path("device.yaml").symlink_to("/dev/null")
    os.mkfifo("pipe.yaml")
    Path("run.yaml").write_text("defaults: [dangling, _self_]\n_target_: sequential\n")
    for name, said in {
        "dangling.yaml": "dangling.yaml: a link to gone.yaml, and there is no such file",
        "loop.yaml": "loop.yaml: a link that leads back to itself",
        "folder.yaml": "folder.yaml: a folder, not a file",
        "device.yaml": "device.yaml: a device, not a file",
        "pipe.yaml": "pipe.yaml: a named pipe, not a file",
        "run.yaml": "dangling.yaml: a link to gone.yaml, and there is no such file",
        "x" * 300 + ".yaml": "the file cannot be read: File name too long",
    }.items():
        with pytest.raises(ConfigError) as caught:
            compose(Path(name), configs=Path("groups"))
        assert said in str(caught.value), name
