"""What can go wrong with the managed local Neo4j, for the operator at the terminal.

LocalNeo4jError
├── JarsUnavailable          the pinned jars cannot be had or do not match their checksums
├── JavaNotFound             no Java of a version that Neo4j runs on
├── PortTaken                a port that was asked for by number belongs to somebody else
├── StartFailed              Neo4j did not get to the point of answering
│   ├── EndedEarly           its process ended
│   └── PasswordRefused      it runs but does not take the password in the home
└── PasswordLost             the data has a password but the file that held it is gone
"""


class LocalNeo4jError(RuntimeError):
    """The managed local Neo4j could not do what was asked; the message says what to do about it."""


class JarsUnavailable(LocalNeo4jError):
    """A pinned jar cannot be fetched, or what was fetched does not match its checksum."""


class JavaNotFound(LocalNeo4jError):
    """No Java on this machine is one that Neo4j runs on."""


class PortTaken(LocalNeo4jError):
    """A port asked for by number is taken by another process."""


class StartFailed(LocalNeo4jError):
    """Neo4j did not get to the point of answering; carries the last lines of its log."""


class EndedEarly(StartFailed):
    """Neo4j's process ended before it answered."""


class PasswordRefused(StartFailed):
    """Neo4j runs but does not take the password in the home's password file."""


class PasswordLost(LocalNeo4jError):
    """The data directory exists but its password file does not."""
