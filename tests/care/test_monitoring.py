"""Goal: every metric that the dashboard and the alert rules name is served, under these labels (spec 09, 10)."""

import json
import re
from pathlib import Path
from typing import Any

import yaml
from prometheus_client.parser import text_string_to_metric_families

from tests.conftest import World
from tests.harness.service_process import Caller

DOCKER = Path(__file__).resolve().parents[2] / "docker"
METRIC = re.compile(r"\bgraphsvc_[a-z_]+")
LABELS = re.compile(r"by \(([a-z_, ]+)\)")
ADDED_BY_PROMETHEUS = {"instance", "job"}


def expressions() -> list[str]:
    """All that is asked of Prometheus."""
    dashboard = json.loads((DOCKER / "grafana" / "graphsvc.json").read_text())
    found = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    rules: dict[str, Any] = yaml.safe_load((DOCKER / "prometheus" / "alerts.yaml").read_text())
    for group in rules["groups"]:
        for rule in group["rules"]:
            assert rule["annotations"]["summary"]
            assert rule["annotations"]["action"]
            found.append(rule["expr"])
    return found


def test_every_metric_that_is_named_is_served_with_its_labels(world: World, operator: Caller) -> None:
    agent = world.agent(a="read,write")
    agent.call("create_entities", entities=[{"name": "Elm", "observations": ["tall"]}])
    agent.call("search_nodes", query="elm")
    served: dict[str, set[str]] = {}
    for family in text_string_to_metric_families(operator.http.get("/metrics").text):
        for sample in family.samples:
            served.setdefault(sample.name, set()).update(sample.labels)
    asked = expressions()
    assert len(asked) >= 14
    for expression in asked:
        names = METRIC.findall(expression)
        labels = {label.strip() for group in LABELS.findall(expression) for label in group.split(",")}
        for name in names:
            if name == "graphsvc_db_retries_total" and name not in served:
                # Only there once something was tried again; its family is described all the same.
                assert "# TYPE graphsvc_db_retries_total counter" in operator.http.get("/metrics").text
                continue
            assert name in served, expression
            assert labels <= served[name] | ADDED_BY_PROMETHEUS, expression
    panels = json.loads((DOCKER / "grafana" / "graphsvc.json").read_text())["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)


def test_metrics_are_not_for_everybody(world: World) -> None:
    assert world.agent(a="read,write").http.get("/metrics").status_code == 403
