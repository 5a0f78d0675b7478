"""Goal: the wheel is the same bytes however often it is made, holds all that is needed, and works outside the checkout.

Method: it is built twice by the build backend that pyproject.toml names, and installed without the checkout into an environment
of its own, which sees the dependencies of this one.
"""

import os
import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[2]
_BUILD = "import sys; from hatchling.build import build_wheel; print(build_wheel(sys.argv[1]))"
_PARTS = ("graphsvc", "cypher", "seeds", "pyproject.toml", "README.md", "CHANGELOG.md")


def build(source: Path, folder: Path) -> Path:
    """A wheel of a copy of the source."""
    shutil.copytree(CHECKOUT, source, ignore=lambda folder, names: [
        name for name in names
        if (Path(folder) == CHECKOUT and name not in _PARTS) or name in {"__pycache__", ".mypy_cache"}
    ])  # fmt: skip
    folder.mkdir()
    env = {**os.environ, "SOURCE_DATE_EPOCH": "1767225600"}
    subprocess.run(
        [sys.executable, "-c", _BUILD, str(folder)], cwd=source, env=env, check=True, capture_output=True
    )
    (wheel,) = folder.glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Two wheels, built in different places."""
    place = tmp_path_factory.mktemp("wheels")
    return [build(place / f"source-{n}" / "checkout", place / f"wheel-{n}") for n in (1, 2)]


def test_the_wheel_is_the_same_bytes_each_time(wheels: list[Path]) -> None:
    assert wheels[0].read_bytes() == wheels[1].read_bytes()


def test_the_wheel_holds_every_query_and_nothing_of_the_workshop(wheels: list[Path]) -> None:
    names = set(zipfile.ZipFile(wheels[0]).namelist())
    queries = {
        f"graphsvc/_{path.relative_to(CHECKOUT).as_posix()}"
        for path in (CHECKOUT / "cypher").rglob("*.cypher")
    }
    assert len(queries) > 100
    assert queries <= names
    assert "graphsvc/_seeds/demo.jsonl" in names
    assert not [
        name for name in names if name.startswith(("tests/", "bench/", "docs/")) or "__pycache__" in name
    ]


def test_the_installed_program_works_without_the_checkout(wheels: list[Path], tmp_path: Path) -> None:
    venv.create(tmp_path / "env", with_pip=False)
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    site = tmp_path / "env" / "lib" / version / "site-packages"
    with zipfile.ZipFile(wheels[0]) as wheel:
        wheel.extractall(site)
    # After its own: the dependencies of this environment, where graphsvc is not.
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    env = {name: value for name, value in os.environ.items() if name not in {"PYTHONPATH", "PYTHONHOME"}}
    python = tmp_path / "env" / "bin" / "python"

    def run(*arguments: str) -> str:
        return subprocess.run(
            [str(python), *arguments],
            cwd=tmp_path,
            env=env,
            check=True,
            capture_output=True,
            text=True,
            timeout=120,
        ).stdout

    assert run("-m", "graphsvc", "version").strip()
    where = run(
        "-c", "import graphsvc.queries as q; print(q.cypher_root(), len(q.Q), len(q.load_schema()))"
    ).split()
    assert Path(where[0]) == site / "graphsvc" / "_cypher"
    assert int(where[1]) > 100
    assert int(where[2]) > 50
