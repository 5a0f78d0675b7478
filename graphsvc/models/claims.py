"""Requests and answers of claims and governance (spec 08, 12)."""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Discriminator, Field, StringConstraints, Tag, model_validator

from graphsvc import limits
from graphsvc.domain.source_ref_schema import SourceRefField
from graphsvc.models.common import (
    Answer,
    Flag,
    Identifier,
    IdReference,
    Instant,
    ItemOrInvalid,
    KindName,
    Model,
    PositiveInt,
    Reference,
    RelationTypeName,
    ScopeId,
    SingleWrite,
    WriteRequest,
)
from graphsvc.models.reads import Framing
from graphsvc.models.tasks import ListRequest, Reason
from graphsvc.models.writes import check_text

Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
ClaimId = Annotated[Identifier, Field(examples=["clm_01890a5d"])]
FactId = Annotated[Identifier, Field(examples=["fact_01890a5d"])]
Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$"), Field(examples=["0" * 64])]
ClaimStatus = Literal["candidate", "promoted", "rejected", "superseded"]
ObjectText = Annotated[
    str,
    StringConstraints(min_length=1, max_length=limits.CLAIM_OBJECT_CHARS_MAX),
    AfterValidator(check_text),
]


class LiteralObject(Model):
    """A value that is no entity, whatever is named so."""

    literal: ObjectText


def _object_tag(value: Any) -> str:
    if isinstance(value, str):
        return "Text"
    if isinstance(value, LiteralObject) or (isinstance(value, dict) and "literal" in value):
        return "Literal"
    return "Object"


ClaimObject = Annotated[
    Annotated[IdReference, Tag("Object")]
    | Annotated[LiteralObject, Tag("Literal")]
    | Annotated[ObjectText, Tag("Text")],
    Discriminator(_object_tag),
    Field(description="An entity by name or id, or else a literal.", examples=["Paul Pack"]),
]


class EvidenceInput(Model):
    """What speaks for a claim: a stored observation (its id as ref), or anything else that can be named."""

    kind: Identifier = Field(examples=["observation"])
    ref: Identifier = Field(examples=["obs_01890a5d"])
    source_ref: SourceRefField | None = None
    excerpt: (
        Annotated[
            str,
            StringConstraints(min_length=1, max_length=limits.EVIDENCE_EXCERPT_CHARS_MAX),
            AfterValidator(check_text),
        ]
        | None
    ) = None
    weight: Share = 1.0


class ClaimInput(Model):
    """A statement that may become a fact."""

    subject: Reference
    predicate: RelationTypeName
    object: ClaimObject
    scope: ScopeId | None = None
    confidence: Share = 0.5
    evidence: Annotated[list[EvidenceInput], Field(max_length=limits.EVIDENCE_PER_CLAIM_MAX)] = Field(
        default_factory=list
    )


class ProposeClaims(WriteRequest):
    """Propose claims: candidates, which no search shows as facts."""

    claims: Annotated[
        list[Annotated[ClaimInput, ItemOrInvalid]], Field(min_length=1, max_length=limits.BATCH_ITEMS_MAX)
    ]


class ExtractClaims(WriteRequest):
    """Find claims in a text by an extractor and propose them."""

    text: Annotated[
        str,
        StringConstraints(min_length=1, max_length=limits.EXTRACT_TEXT_CHARS_MAX),
        AfterValidator(check_text),
    ]
    extractor: Identifier = Field(default="patterns", description="The name of an installed extractor.")
    dry_run: Flag = Field(default=False, description="Say what would be proposed; write nothing.")


class ListClaims(ListRequest):
    """Claims by status and subject."""

    status: ClaimStatus | None = None
    subject: Reference | None = None


class ListFacts(ListRequest):
    """Governed facts by status and subject."""

    status: Literal["active", "superseded"] | None = None
    subject: Reference | None = None


class RejectClaim(SingleWrite):
    """Reject a candidate."""

    claim: ClaimId
    reason: Reason | None = None


class PromoteCandidate(SingleWrite):
    """Make a fact of a claim, if evidence, policy and approval allow it."""

    claim: ClaimId
    mode: Literal["human_confirmed", "multi_evidence", "imported"]
    valid_from: Instant | None = Field(default=None, description="Default: now.")
    valid_to: Instant | None = None
    rationale: Reason | None = None


class GovernAction(Model):
    """What is to become of a fact."""

    fact: FactId
    action: Literal["supersede", "contradict", "invalidate", "revalidate"]
    by: FactId | None = Field(default=None, description="With supersede: the fact that takes its place.")
    with_: FactId | None = Field(default=None, alias="with", description="With contradict: the other fact.")
    effective_at: Instant | None = Field(default=None, description="With invalidate; default: now.")

    @model_validator(mode="after")
    def _fields_fit_the_action(self) -> "GovernAction":
        wanted = {"supersede": "by", "contradict": "with_"}.get(self.action)
        for name in ("by", "with_"):
            if (getattr(self, name) is not None) != (name == wanted):
                raise ValueError("supersede takes `by`, contradict takes `with`, the others neither")
        if self.effective_at is not None and self.action != "invalidate":
            raise ValueError("only invalidate takes `effective_at`")
        return self

    @property
    def other(self) -> str | None:
        """The other fact."""
        return self.by or self.with_


class GovernFact(GovernAction, SingleWrite):
    """Supersede, contradict, invalidate or revalidate a fact."""

    rationale: Reason | None = None


class PolicyInput(Model):
    """What a scope's policy says. Fields not given stay as they are."""

    scope: ScopeId
    sensitive: Flag | None = None
    multi_evidence: Flag | None = Field(
        default=None, description="Whether independent evidence alone may promote."
    )
    sensitive_kinds: Annotated[list[KindName], Field(max_length=limits.SENSITIVE_KINDS_MAX)] | None = Field(
        default=None, description="Claims about such entities need an approval."
    )


class SetPolicy(SingleWrite):
    """Set a scope's policy; each version is kept. Making it less sensitive needs an approval."""

    scope: ScopeId
    sensitive: Flag | None = None
    multi_evidence: Flag | None = None
    sensitive_kinds: Annotated[list[KindName], Field(max_length=limits.SENSITIVE_KINDS_MAX)] | None = None
    rationale: Reason | None = None


class Approve(SingleWrite):
    """Approve one exact statement, once (people only): a claim, an action on a fact, or a policy."""

    claim: ClaimId | None = None
    govern: GovernAction | None = None
    policy: PolicyInput | None = None
    statement_sha256: Sha256
    ttl_s: Annotated[PositiveInt, Field(le=limits.APPROVAL_TTL_S_MAX)] = limits.APPROVAL_TTL_S_DEFAULT

    @model_validator(mode="after")
    def _one_subject(self) -> "Approve":
        if sum(part is not None for part in (self.claim, self.govern, self.policy)) != 1:
            raise ValueError("name one of claim, govern, policy")
        return self


class ClaimsAnswer(Answer):
    """A page of claims."""

    framing: Framing
    claims: list[dict[str, Any]]
    next_cursor: str | None


class FactsAnswer(Answer):
    """A page of facts."""

    framing: Framing
    facts: list[dict[str, Any]]
    next_cursor: str | None


class PromotedAnswer(Answer):
    """The fact and the decision behind it."""

    fact: str
    decision: str
    request_id: str
    bookmark: str


class DecisionAnswer(Answer):
    """The decision that was recorded."""

    decision: str
    request_id: str
    bookmark: str


class PolicyAnswer(DecisionAnswer):
    """The policy's new version."""

    version: int


class ApprovalAnswer(Answer):
    """The approval, and until when it can be used."""

    approval: str
    expires_at: str
    request_id: str
    bookmark: str
