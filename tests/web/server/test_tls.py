"""A service at an address that others reach, with a certificate that openssl makes."""

from __future__ import annotations

import shutil
import ssl
import subprocess
from collections import Counter
from pathlib import Path

import httpx
import pytest

from flows.errors import UsageError
from flows.web.server.listening import ListenAddress
from tests.cli.test_telemetry import Collector
from tests.web.serving import TOKEN, bearer, serving

pytestmark = pytest.mark.skipif(not shutil.which("openssl"), reason="openssl is not installed")
LONG = pytest.mark.long("keys are made by openssl")


def make_certificate(folder: Path, *options: str) -> tuple[Path, Path]:
    """A certificate for localhost that signs itself, and its key."""
    certificate, key = folder / "cert.pem", folder / "key.pem"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-days", "2",
               "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost",
               "-keyout", str(key), "-out", str(certificate),
               *(options or ("-nodes",))]  # fmt: skip
    subprocess.run(command, check=True, capture_output=True)
    return certificate, key


@LONG
def test_others_reach_it_by_tls_and_under_its_names_alone(tmp_path: Path) -> None:
    certificate, key = make_certificate(tmp_path)
    options = ("--address", "0.0.0.0", "--host-name", "flows.example",
               "--tls-cert", str(certificate), "--tls-key", str(key))  # fmt: skip
    with serving(tmp_path, *options) as service:
        assert service.url.startswith("https://0.0.0.0:")
        port = httpx.URL(service.url).port
        trusted = ssl.create_default_context(cafile=str(certificate))
        with httpx.Client(verify=trusted, headers=bearer(TOKEN)) as client:
            address = f"https://localhost:{port}/api/flows"
            assert client.get(address).status_code == 200
            named = {"Host": f"flows.example:{port}"}
            assert client.get(address, headers=named).status_code == 200
            other = client.get(address, headers={"Host": "elsewhere.example"})
            assert other.status_code in (400, 403, 421)
            assert client.get(address, headers={"Authorization": ""}).status_code == 401
        with pytest.raises(httpx.TransportError):
            httpx.get(f"http://localhost:{port}/healthz")


@LONG
def test_files_that_are_no_certificate_with_its_key_are_named(tmp_path: Path) -> None:
    certificate, key = make_certificate(tmp_path)
    (tmp_path / "other").mkdir()
    locked = make_certificate(tmp_path / "other", "-passout", "pass:secret")
    ListenAddress(certificate=certificate, key=key).check(has_tokens=True)
    for pair in ((key, certificate), (certificate, locked[1]), (locked[0], key)):
        with pytest.raises(UsageError, match=r"key\.pem"):
            ListenAddress(certificate=pair[0], key=pair[1]).check(has_tokens=True)
    with pytest.raises(UsageError, match="locked by a password"):
        ListenAddress(certificate=locked[0], key=locked[1]).check(has_tokens=True)


@pytest.mark.long("the real command, and a collector of spans")
def test_something_before_it_does_tls_and_each_run_is_a_trace(tmp_path: Path) -> None:
    options = ("--address", "0.0.0.0", "--behind-tls-proxy", "--host-name", "flows.example")
    with Collector() as collector:
        env = {"OTEL_EXPORTER_OTLP_ENDPOINT": collector.url}
        with serving(tmp_path, "adder.yaml", *options, env=env) as service:
            port = httpx.URL(service.url).port
            proxied = {"Host": "flows.example", "Origin": "https://flows.example"}
            with httpx.Client(base_url=f"http://127.0.0.1:{port}", headers=bearer(TOKEN)) as proxy:
                start = "/api/flows/adder/runs?wait=30"
                ids = []
                for n in range(2):
                    reply = proxy.post(start, json={"inputs": {"n": n}}, headers=proxied)
                    assert (reply.status_code, reply.json()["status"]) == (202, "finished")
                    ids.append(reply.json()["id"])
                # What callers see is https: a page that came without is of another origin.
                plain = {**proxied, "Origin": "http://flows.example"}
                refused = proxy.post(start, json={"inputs": {"n": 1}}, headers=plain)
                assert refused.status_code == 403
                assert "Origin" in refused.json()["error"]["where"]
                named = {"Host": "elsewhere.example"}
                assert proxy.get("/api/flows", headers=named).status_code == 403
            assert service.stop() == 0
    resources = [each for request in collector.requests for each in request.resource_spans]
    spans = [s for each in resources for scope in each.scope_spans for s in scope.spans]
    roots = [each for each in spans if not each.parent_span_id]
    assert [each.name for each in roots] == ["invoke_agent Adder"] * 2
    assert len({each.trace_id for each in roots}) == 2
    runs = {a.value.string_value for each in roots for a in each.attributes}
    assert runs.issuperset(ids)
    below = Counter(each.name for each in spans if each.parent_span_id)
    assert below == {"one": 2, "two": 2}
    with pytest.raises(UsageError, match=r"it needs TLS, .*--behind-tls-proxy"):
        ListenAddress(host="0.0.0.0").check(has_tokens=True)
