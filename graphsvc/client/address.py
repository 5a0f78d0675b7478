"""Where the service is and which token to use: from the settings, else from what runs in this home (spec 12)."""

import json
from dataclasses import dataclass, field

from graphsvc.client.errors import ServiceUnreachable
from graphsvc.settings import Settings


@dataclass(frozen=True, slots=True)
class ServiceAddress:
    """A base URL and a bearer token."""

    base_url: str
    token: str = field(repr=False)


def local_address(settings: Settings | None = None) -> ServiceAddress:
    """GRAPHSVC_SERVICE_URL and GRAPHSVC_TOKEN where they are set; else the service and operator token of this home.

    Raises ServiceUnreachable when neither says.
    """
    settings = settings or Settings()
    base_url = settings.service_url
    if base_url is None:
        try:
            base_url = json.loads(settings.state_file.read_text(encoding="utf-8"))["base_url"]
        except (OSError, ValueError, KeyError) as error:
            raise ServiceUnreachable(
                f"nothing runs in {settings.home}: start it with `graphsvc up`, or set GRAPHSVC_SERVICE_URL"
            ) from error
    if settings.token is not None:
        return ServiceAddress(base_url, settings.token.get_secret_value())
    try:
        return ServiceAddress(base_url, settings.token_file.read_text(encoding="utf-8").strip())
    except OSError as error:
        raise ServiceUnreachable(
            f"no token: set GRAPHSVC_TOKEN, or let {settings.token_file} be readable"
        ) from error
