"""The manifest of a folder of seed files: what each file holds, and what loading it must lead to.

python -m graphsvc.seeding.manifest seeds --write    after a seed file was changed
python -m graphsvc.seeding.manifest seeds            exit code 1 when the manifest is stale
"""

import hashlib
import json
import sys
from collections import Counter
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from graphsvc.importers import IMPORTERS, Problem
from graphsvc.seeding.load_model import LoadModel

MANIFEST_NAME: Final = "MANIFEST.json"


def describe(path: Path) -> dict[str, Any]:
    """Size, sha256 and records of a seed file, the outcomes of its first load, and the graph it leaves.

    Raises ValueError, naming the line, when the file has a problem: a seed file has none.
    """
    records: Counter[str] = Counter()
    model = LoadModel()
    for item in IMPORTERS["jsonl"](path):
        if isinstance(item.content, Problem):
            raise ValueError(f"{path}:{item.line_number}: {item.content.reason}")
        records[item.content["record"]] += 1
        model.take(item.content)
    content = path.read_bytes()
    return {
        "bytes": len(content),
        "sha256": hashlib.sha256(content).hexdigest(),
        "records": dict(sorted(records.items())),
        "first_load": model.outcomes(),
        "graph": model.graph(),
    }


def manifest_text(folder: Path) -> str:
    """The manifest of all `*.jsonl` files directly in the folder, the same text for the same files."""
    files = {path.name: describe(path) for path in sorted(folder.glob("*.jsonl"))}
    return json.dumps({"files": files}, ensure_ascii=False, indent=2) + "\n"


def main(
    folder: Annotated[Path, typer.Argument(help="The folder with the seed files.")],
    write: Annotated[
        bool, typer.Option("--write", help="Write the manifest instead of checking it.")
    ] = False,
) -> None:
    """Write or check the manifest of a folder of seed files."""
    path = folder / MANIFEST_NAME
    text = manifest_text(folder)
    if write:
        path.write_text(text, "utf-8")
    elif not path.is_file() or path.read_text("utf-8") != text:
        sys.exit(f"{path} is stale: run python -m graphsvc.seeding.manifest {folder} --write")


if __name__ == "__main__":
    typer.run(main)
