"""What can go wrong with the managed local Neo4j, for the operator at the terminal.

LocalNeo4jError
├── JarsUnavailableError      the pinned jars cannot be had or do not match their checksums
├── JavaNotFoundError         no Java of a version that Neo4j runs on
├── PortTakenError            a port that was asked for by number belongs to somebody else
├── StartFailedError          Neo4j ended, or did not answer, before the deadline
└── PasswordLostError         the data has a password but the file that held it is gone
"""


class LocalNeo4jError(RuntimeError):
    """The managed local Neo4j could not do what was asked; the message says what to do about it."""


class JarsUnavailableError(LocalNeo4jError):
    """A pinned jar cannot be fetched, or what was fetched does not match its checksum."""


class JavaNotFoundError(LocalNeo4jError):
    """No Java on this machine is one that Neo4j runs on."""


class PortTakenError(LocalNeo4jError):
    """A port asked for by number is taken by another process."""


class StartFailedError(LocalNeo4jError):
    """Neo4j did not get to the point of answering; carries the last lines of its log."""


class PasswordLostError(LocalNeo4jError):
    """The data directory exists but its password file does not."""
