"""The files of docs/cluster.md: the manifest fits KubeRay's schema, the image is no root's."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import jsonschema
import pyarrow
import pytest
import yaml
from pyarrow import parquet

from tests.cli.inside import inside

PROJECT = Path(__file__).resolve().parents[2]
CLUSTER = PROJECT / "docs" / "cluster"
SCHEMA = Path(__file__).with_name("raycluster.schema.json")
IMAGE = "analyst-flows:0.1.0"


def manifest() -> dict[str, Any]:
    return dict(yaml.safe_load((CLUSTER / "raycluster.yaml").read_text()))


def problems(of: dict[str, Any]) -> list[str]:
    validator = jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text()))
    return [f"{each.json_path}: {each.message}" for each in validator.iter_errors(of)]


def instructions() -> list[tuple[str, str]]:
    """The instructions of the Dockerfile, each on one line."""
    text = (CLUSTER / "Dockerfile").read_text().replace("\\\n", "")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    words = [line.split() for line in lines]
    return [(first, " ".join(rest)) for first, *rest in words]


def test_the_manifest_fits_the_schema() -> None:
    assert problems(manifest()) == []


def test_a_wrong_manifest_does_not() -> None:
    wrong = manifest()
    wrong["spec"]["workerGroupSpecs"][0]["replica"] = wrong["spec"]["workerGroupSpecs"][0].pop(
        "replicas"
    )
    wrong["spec"]["headGroupSpec"]["rayStartParams"]["num-cpus"] = 0
    head, worker = problems(wrong)
    assert head == "$.spec.headGroupSpec.rayStartParams['num-cpus']: 0 is not of type 'string'"
    assert "workerGroupSpecs[0]" in worker
    assert "'replica' was unexpected" in worker


def test_all_pods_have_the_image_its_ray_and_no_root() -> None:
    spec = manifest()["spec"]
    lock = (PROJECT / "requirements" / "ray.lock").read_text()
    assert f"ray=={spec['rayVersion']}" in lock.splitlines()
    assert spec["authOptions"] == {"mode": "token"}
    for group in (spec["headGroupSpec"], *spec["workerGroupSpecs"]):
        pod = group["template"]["spec"]
        assert pod["securityContext"]["runAsNonRoot"] is True
        (container,) = pod["containers"]
        assert container["image"] == IMAGE
        assert container["securityContext"]["allowPrivilegeEscalation"] is False
    assert spec["headGroupSpec"]["rayStartParams"]["include-dashboard"] == "false"


def test_the_image_is_of_what_is_here_and_ends_as_no_root() -> None:
    found = instructions()
    assert [rest for word, rest in found if word == "USER"][-1] == "1000:1000"
    for base in (rest for word, rest in found if word == "FROM"):
        assert re.fullmatch(r"[\w./-]+:[\w.-]*\d[\w.-]*", base), "a base image has a version"
    for given in (rest.split()[:-1] for word, rest in found if word == "COPY"):
        assert all((PROJECT / each).exists() for each in given), given
    for ran in (rest for word, rest in found if word == "RUN"):
        assert "apt-get install" not in ran or "rm -rf /var/lib/apt/lists/*" in ran
        assert "pip install" not in ran or ran.count("pip install") == ran.count("--no-cache-dir")
    assert not [rest for word, rest in found if word in ("ADD", "MAINTAINER")]


def builds(program: str) -> bool:
    """Whether the program is there, and what it needs."""
    if shutil.which(program) is None:
        return False
    return subprocess.run([program, "info"], capture_output=True, timeout=60).returncode == 0


@pytest.mark.long("builds an image")
def test_the_image_is_built() -> None:
    builder = next(filter(builds, ("docker", "podman", "buildah")), None)
    if builder is None:
        pytest.skip("no builder of images is at hand")
    command = [builder, "build", "-f", str(CLUSTER / "Dockerfile"), "-t", IMAGE, str(PROJECT)]
    subprocess.run(command, check=True, timeout=1200)


@pytest.mark.long("starts processes")
def test_the_command_of_the_page_does_it_on_all_cores(tmp_path: Path) -> None:
    (tmp_path / "my.yaml").write_text("_target_: adding.total\n")
    (tmp_path / "adding.py").write_text("def total(n: int) -> int:\n    return n + 10\n")
    parquet.write_table(pyarrow.table({"n": [1, 2, 3]}), tmp_path / "rows.parquet")
    ended = inside(
        "map", "my.yaml", "--inputs", "rows.parquet", "--out", "answers.jsonl", "runner=local",
        "runner.processes=4", "--trust", "adding", cwd=tmp_path,
    )  # fmt: skip
    assert ended.code == 0, ended.err
    found = [json.loads(each) for each in (tmp_path / "answers.jsonl").read_text().splitlines()]
    assert [each["outputs"] for each in found] == [{"total": 11}, {"total": 12}, {"total": 13}]
    assert not any("done here" in each for each in (ended.out, ended.err))
