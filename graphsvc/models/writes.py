"""Requests of the writing operations (spec 02, 12)."""

import math
from typing import Annotated, Any, Literal

import regex
from pydantic import AfterValidator, Discriminator, Field, StringConstraints, Tag

from graphsvc import limits
from graphsvc.domain.source_ref_schema import SourceRefField
from graphsvc.models.common import (
    Answer,
    ExternalId,
    Flag,
    IdReference,
    Instant,
    ItemOrInvalid,
    KindName,
    Model,
    Name,
    Reference,
    RelationTypeName,
    SingleWrite,
    WriteRequest,
    tag_of,
)

_NO_SURROGATES = regex.compile(r"[\p{Cs}\x00]")


def check_text(text: str) -> str:
    """A text fit for storing, or ValueError."""
    if not text.strip():
        raise ValueError("must not be blank")
    if _NO_SURROGATES.search(text):
        raise ValueError("must not contain NUL or lone surrogates")
    return text


Text = Annotated[
    str,
    StringConstraints(min_length=1, max_length=limits.OBSERVATION_CHARS_MAX),
    AfterValidator(check_text),
    Field(examples=["Acme Print offers same-day turnaround"]),
]


class ObservationInput(Model):
    """A fact with when it was observed and the document it came from."""

    text: Text
    observed_at: Instant | None = None
    source_ref: SourceRefField | None = None


Content = Annotated[
    Annotated[Text, Tag("Text")] | Annotated[ObservationInput, Tag("Object")],
    Discriminator(tag_of),
    ItemOrInvalid,
]


class EntityInput(Model):
    """A named thing."""

    name: Name
    kind: KindName | None = None
    aliases: Annotated[
        list[Annotated[Name, ItemOrInvalid]], Field(max_length=limits.ALIASES_PER_ENTITY_MAX)
    ] = []
    external_ids: Annotated[list[ExternalId], Field(max_length=limits.EXTERNAL_IDS_PER_ENTITY_MAX)] = []
    observations: Annotated[list[Content], Field(max_length=limits.OBSERVATIONS_PER_ITEM_MAX)] = []
    source_ref: SourceRefField | None = Field(
        default=None, description="For all observations that name none."
    )


class CreateEntities(WriteRequest):
    """Create entities, or find and revive those that are there."""

    entities: Annotated[
        list[Annotated[EntityInput, ItemOrInvalid]], Field(min_length=1, max_length=limits.BATCH_ITEMS_MAX)
    ]
    resolve: Literal["visible", "own_scope"] = Field(
        default="visible", description="own_scope: look for the name in the write scope only."
    )


class EntityUpdate(Model):
    """Another name or kind for an entity."""

    entity: Reference
    name: Name | None = None
    kind: KindName | None = None


class UpdateEntities(WriteRequest):
    """Rename entities or correct their kinds; the old name stays as an alias."""

    items: Annotated[
        list[Annotated[EntityUpdate, ItemOrInvalid]], Field(min_length=1, max_length=limits.BATCH_ITEMS_MAX)
    ]


class MergeEntities(SingleWrite):
    """Merge an entity into another of its scope, which answers for both from then on; it can be taken back."""

    source: Reference
    target: Reference
    dry_run: Flag = Field(default=False, description="Say what would come together; change nothing.")


class UnmergeEntities(SingleWrite):
    """Take a merge back: the source has again exactly what it had."""

    source: Reference


class ObservationsInput(Model):
    """Facts about one entity."""

    entity: Reference
    contents: Annotated[list[Content], Field(min_length=1, max_length=limits.OBSERVATIONS_PER_ITEM_MAX)]


class AddObservations(WriteRequest):
    """Add facts to entities; a fact that is there is a duplicate, a retired one is revived."""

    items: Annotated[
        list[Annotated[ObservationsInput, ItemOrInvalid]],
        Field(min_length=1, max_length=limits.BATCH_ITEMS_MAX),
    ]


PropertyKey = Annotated[
    str,
    StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$", max_length=limits.RELATION_PROPERTY_KEY_CHARS_MAX),
]
Scalar = bool | int | float | Annotated[str, StringConstraints(max_length=limits.RELATION_PROPERTY_CHARS_MAX)]


def _check_properties(properties: dict[str, Any]) -> dict[str, Any]:
    for key, value in properties.items():
        values = value if isinstance(value, list) else [value]
        if len({type(item) for item in values}) > 1:
            raise ValueError(f"'{key}': a list must hold one type")
        for item in values:
            if isinstance(item, float) and not math.isfinite(item):
                raise ValueError(f"'{key}': numbers must be finite")
            if isinstance(item, int) and not -(2**63) <= item < 2**63:
                raise ValueError(f"'{key}': numbers must fit 64 bits")
            if isinstance(item, str):
                if len(item) > limits.RELATION_PROPERTY_CHARS_MAX:
                    raise ValueError(
                        f"'{key}': texts have at most {limits.RELATION_PROPERTY_CHARS_MAX} characters"
                    )
                if _NO_SURROGATES.search(item):
                    raise ValueError(f"'{key}': must not contain NUL or lone surrogates")
    return properties


Properties = Annotated[
    dict[PropertyKey, Scalar | Annotated[list[Scalar], Field(max_length=limits.RELATION_PROPERTY_LIST_MAX)]],
    Field(max_length=limits.RELATION_PROPERTIES_MAX, examples=[{"since": 2021}]),
    AfterValidator(_check_properties),
]


class RelationInput(Model):
    """`from` –type→ `to`."""

    from_: Reference = Field(alias="from")
    type: RelationTypeName
    to: Reference
    properties: Properties = {}


class CreateRelations(WriteRequest):
    """Relate entities; both ends must be there for the caller."""

    relations: Annotated[
        list[Annotated[RelationInput, ItemOrInvalid]], Field(min_length=1, max_length=limits.BATCH_ITEMS_MAX)
    ]
    allow_self: Flag = Field(default=False, description="Allow relations of a thing to itself.")


class AliasesInput(Model):
    """Other names of one entity."""

    entity: Reference
    aliases: Annotated[
        list[Annotated[Name, ItemOrInvalid]], Field(min_length=1, max_length=limits.ALIASES_PER_ENTITY_MAX)
    ]


class AddAliases(WriteRequest):
    """Add other names to entities."""

    items: Annotated[
        list[Annotated[AliasesInput, ItemOrInvalid]], Field(min_length=1, max_length=limits.BATCH_ITEMS_MAX)
    ]


class RemoveAliases(AddAliases):
    """Retire other names of entities."""


class DeleteEntities(WriteRequest):
    """Retire entities; unknown ones contribute zero."""

    names: Annotated[
        list[Annotated[Reference, ItemOrInvalid]], Field(min_length=1, max_length=limits.BATCH_ITEMS_MAX)
    ]


class ObservationsReference(Model):
    """Facts of one entity, by text or id."""

    entity: Reference
    contents: Annotated[
        list[
            Annotated[
                Annotated[IdReference, Tag("Object")] | Annotated[Text, Tag("Text")],
                Discriminator(tag_of),
                ItemOrInvalid,
            ]
        ],
        Field(min_length=1, max_length=limits.OBSERVATIONS_PER_ITEM_MAX),
    ]


class DeleteObservations(WriteRequest):
    """Retire facts; unknown ones contribute zero."""

    items: Annotated[
        list[Annotated[ObservationsReference, ItemOrInvalid]],
        Field(min_length=1, max_length=limits.BATCH_ITEMS_MAX),
    ]


class RelationReference(Model):
    """A relation by its ends and type."""

    from_: Reference = Field(alias="from")
    type: RelationTypeName
    to: Reference


class DeleteRelations(WriteRequest):
    """Retire relations; unknown ones contribute zero."""

    relations: Annotated[
        list[Annotated[RelationReference, ItemOrInvalid]],
        Field(min_length=1, max_length=limits.BATCH_ITEMS_MAX),
    ]


class ItemOutcome(Answer):
    """What became of one item, in input order."""

    index: int
    outcome: str
    id: str | None = None


class WriteAnswer(Answer):
    """Outcomes in input order and how many there are of each."""

    results: list[ItemOutcome]
    counts: dict[str, int]
    request_id: str
    bookmark: str


class RetireAnswer(Answer):
    """How many things were retired."""

    retired: int
    request_id: str
    bookmark: str


class MergeAnswer(Answer):
    """What became of the two, and how much of what the caller sees came together."""

    outcome: str
    source: str | None = None
    target: str | None = None
    moved: dict[str, int] | None = None
    duplicates: dict[str, int] | None = None
    hidden_relations: int | None = None
    taken_back: dict[str, int] | None = None
    request_id: str
    bookmark: str
