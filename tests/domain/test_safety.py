"""Secrets in a text are found by kind and line, and never come out of the finder.

Method: one example of each shape, made up here; look-alikes that are no findings; hypothesis for the promise
that a finding holds nothing of the text; a clock for the promise that hostile text costs no more than its length.
"""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphsvc.domain.safety import Finding, FindingKind, find_secrets

# Put together from parts, so that scanners of this repository do not take the tests for leaks.
SECRETS: dict[str, tuple[FindingKind, str]] = {
    "AWS access key": ("api_key", "AKIA" + "Z7QX4MP2LK9DRT3V"),
    "Google key": ("api_key", "AIza" + "SyB7c9Kq2m4Xw8Zt1Rv5Np3Lh6Gd0Fj_sUe"),
    "model provider key": ("api_key", "sk-" + "proj-" + "a8Kd93jfLq02mZx7Tn5c"),
    "payment key": ("api_key", "sk_" + "live_" + "4eC39HqLyjWDarjtT1zdp7dc"),
    "mail key": ("api_key", "SG." + "ngeVfQFYQlKU0ufo8x5d1A" + "." + "TwL2iGABf9DHoTf09kqeF8tAmbihYzrnopKc"),
    "storage key": ("api_key", "AccountKey=" + "Zk3v9Lq1" * 10 + "=="),
    "GitHub token": ("token", "ghp_" + "x7Kq2m4Xw8Zt1Rv5Np3Lh6Gd0FjsUeB7c9Ya"),
    "GitHub fine-grained token": ("token", "github_pat_" + "11ABCDEFG0x7Kq2m4Xw8Zt1Rv5"),
    "GitLab token": ("token", "glpat-" + "x7Kq2m4Xw8Zt1Rv5Np3L"),
    "Slack token": ("token", "xoxb-" + "17653672481-19874698323-pdFZKVeTuE8sk7oOcBrzbqgy"),
    "npm token": ("token", "npm_" + "x7Kq2m4Xw8Zt1Rv5Np3Lh6Gd0FjsUeB7c9Ya"),
    "token of this service": ("token", "gsv_" + "x7Kq2m4Xw8Zt1Rv5Np3Lh6Gd0Fjs"),
    "JSON web token": (
        "token",
        "eyJ" + "hbGciOiJIUzI1NiJ9" + ".eyJ" + "zdWIiOiIxMjM0NTY3ODkwIn0" + ".dozjgNryP4J3jVmNHl0w5N",
    ),
    "bearer header": ("token", "Authorization: Bearer " + "a8Kd93jfLq02mZx7Tn5cQw"),
    "private key": ("private_key", "-----BEGIN RSA " + "PRIVATE KEY-----\nMIIEow"),
    "OpenSSH key": ("private_key", "-----BEGIN OPENSSH " + "PRIVATE KEY-----"),
    "bare private key": ("private_key", "-----BEGIN " + "PRIVATE KEY-----"),
    "PGP key": ("private_key", "-----BEGIN PGP " + "PRIVATE KEY BLOCK-----"),
    "quoted password": ("password", "password: " + "'Hunter-two'"),
    "bare password": ("password", "the password is " + "hunter2!"),
    "password in YAML": ("password", "db_password: " + "s3cr3tValue"),
    "password in JSON": ("password", '{"password": ' + '"correcthorse"}'),
    "password in bold": ("password", "**Password**: " + "hunter22"),
    "password in an .env file": ("password", "DB_PASSWORD=" + "correcthorsebattery"),
    "key in an .env file": ("api_key", "STRIPE_API_KEY=" + "qwertyuiopas"),
    "assigned API key": ("api_key", "api_key = " + '"q1w2e3r4t5y6"'),
    "client secret": ("api_key", "client_secret: " + "q1w2e3r4t5y6"),
    "assigned token": ("token", "access_token = " + '"q1w2e3r4t5y6"'),
    "password in an address": ("password", "postgres://app:" + "s3cr3t" + "@db.internal:5432/app"),
    "e-mail": ("email", "write to ana.petrova@" + "printworks.de, please"),
    "e-mail with a tag": ("email", "<ana+orders@" + "mail.printworks.co.uk>"),
    "e-mail in another script": ("email", "аня@" + "printworks.de"),
}

HARMLESS = [
    "Acme Print offers same-day turnaround",
    "ask Ana for the password",
    "password: required",
    "password = get_password()",
    "password = os.environ['DB_PASSWORD']",
    "const password = req.body.password;",
    'passwordField: "Enter your password"',
    'password: "<your password>"',
    "password: ${DB_PASSWORD}",
    "PASSWORD=changeme",
    "password=********",
    "API_KEY=your-api-key-here",
    "api_key: xxxxxxxxxxxx1",
    "token: string;",
    "the token is valid for 15 minutes",
    "tokens: 4000",
    "key: value12",
    "primary key: id_1234",
    "secret: /etc/app/secret1",
    "cy.get('[data-testid=\"password-input\"]').type('Password123')",
    "sk-" + "x" * 40,
    "sk-learn is a library",
    "task-management-for-small-teams-and-others",
    "AKIA is how they start",
    "-----BEGIN PUBLIC KEY-----",
    "-----BEGIN CERTIFICATE-----",
    "Authorization: Bearer <token>",
    "Bearer of bad news from far away places",
    "ana@example.com, ben@mail.example.org, c@host.example, d@x.test, e@localhost",
    "git@github.com:acme/print.git",
    "ssh://git@host.org/acme/print.git",
    "logo@2x.png",
    "@app.get('/orders')",
    "react@18.2.0",
    "https://user@host.org/path",
    "postgres://user:password@localhost/app",
    "postgres://app:${DB_PASS}@db/app",
    "9f2c1e5a7b3d4f60812a9c5e7d1b3f4a6c8e0d2b",
    "550e8400-e29b-41d4-a716-446655440000",
    "@",
    "a@b",
    "",
]


@pytest.mark.parametrize(("kind", "text"), SECRETS.values(), ids=SECRETS)
def test_a_secret_is_found_with_its_line(kind: FindingKind, text: str) -> None:
    assert Finding(kind, 1) in find_secrets(text)
    for line_end in ("\n", "\r\n", "\r"):
        assert Finding(kind, 3) in find_secrets(f"one{line_end}größe 尺寸{line_end}say {text} now{line_end}")


@pytest.mark.parametrize("text", HARMLESS)
def test_words_about_secrets_are_none(text: str) -> None:
    assert [finding for finding in find_secrets(text) if finding.kind != "email"] == []
    if "user@host.org" not in text:
        assert find_secrets(text) == []


def test_findings_are_sorted_and_each_kind_once_a_line() -> None:
    _, key = SECRETS["AWS access key"]
    _, password = SECRETS["bare password"]
    assert find_secrets(f"{key} {key}\n\n{password} {key}\n{key}") == [
        Finding("api_key", 1),
        Finding("api_key", 3),
        Finding("password", 3),
        Finding("api_key", 4),
    ]


@given(st.lists(st.sampled_from([text for _, text in SECRETS.values()]) | st.text(max_size=20)))
def test_a_finding_holds_nothing_of_the_text(parts: list[str]) -> None:
    kinds = {"api_key", "token", "private_key", "password", "email"}
    text = " ".join(parts)
    for finding in find_secrets(text):
        assert finding.kind in kinds
        assert 1 <= finding.line <= len(text.encode(errors="surrogatepass").splitlines())


@pytest.mark.parametrize(
    "unit",
    [
        "a",
        "a@",
        "a@a.",
        "password",
        "password: ",
        "eyJ",
        "eyJaaaaaaaaa.",
        "bearer ",
        "sk-",
        "-----BEGIN ",
        "://a:",
    ],
)
def test_hostile_text_costs_no_more_than_its_length(unit: str) -> None:
    """Twice the text, about twice the time: far from the square that a careless pattern takes."""

    def seconds(size: int) -> float:
        text = unit * (size // len(unit))
        started = time.perf_counter()
        find_secrets(text)
        return time.perf_counter() - started

    seconds(1_000)
    assert min(seconds(400_000) for _ in range(3)) < 20 * min(seconds(100_000) for _ in range(3)) + 0.1
