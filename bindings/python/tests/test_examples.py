"""The examples that no Go test runs."""

import pathlib

import kubernetes_validate
import yaml

EXAMPLES = pathlib.Path(__file__).parents[3] / "examples"


def test_kubernetes_job():
    """The manifest follows the oldest schema that it names and a new one, and its shards are the jobs of the array."""
    job = yaml.safe_load((EXAMPLES / "kubernetes" / "job.yaml").read_text())
    for version in ("1.29", "1.37"):
        kubernetes_validate.validate(job, version, strict=True)
    container = job["spec"]["template"]["spec"]["containers"][0]
    assert {"name": "SHARDS", "value": str(job["spec"]["completions"])} in container["env"]
