"""Every cap of the service in one place, with its unit in its name. `whoami` and docs/reference read this."""

from typing import Final

# Names, texts, identifiers (spec 01, 02)
NAME_CHARS_MAX: Final = 256
KIND_CHARS_MAX: Final = 64
RELATION_TYPE_CHARS_MAX: Final = 64
OBSERVATION_CHARS_MAX: Final = 8_000
ALIASES_PER_ENTITY_MAX: Final = 64
EXTERNAL_IDS_PER_ENTITY_MAX: Final = 16
EXTERNAL_ID_CHARS_MAX: Final = 256
OBSERVATIONS_PER_ITEM_MAX: Final = 1_000
RELATION_PROPERTIES_MAX: Final = 16
RELATION_PROPERTY_KEY_CHARS_MAX: Final = 64
RELATION_PROPERTY_CHARS_MAX: Final = 1_024
RELATION_PROPERTY_LIST_MAX: Final = 64
SCOPE_SLUG_CHARS_MAX: Final = 64
SCOPE_TITLE_CHARS_MAX: Final = 256
PRINCIPAL_CHARS_MAX: Final = 128
PROVENANCE_ID_CHARS_MAX: Final = 256
IDEMPOTENCY_KEY_CHARS_MAX: Final = 255

# Requests (spec 02, 09)
BATCH_ITEMS_MAX: Final = 1_000
NAMES_PER_OPEN_MAX: Final = 200
BODY_BYTES_MAX: Final = 4 * 1024 * 1024
QUERY_CHARS_MAX: Final = 4_096
SCOPES_PER_REQUEST_MAX: Final = 200
GRANTS_PER_PRINCIPAL_MAX: Final = 200
IDEMPOTENCY_KEY_TTL_HOURS: Final = 24
IDEMPOTENCY_CLAIM_TTL_S: Final = 30

# Budget (spec 03)
BUDGET_LIMIT_DEFAULT: Final = 16_000
BUDGET_LIMIT_MAX: Final = 200_000

# Reads (spec 03, 11)
SEARCH_TERMS_MAX: Final = 64
SEARCH_FREQUENCY_MAX: Final = 1_000
"""Documents that hold a word are counted up to here: in more than these, a word is common, whatever the number."""
SEARCH_POOL_MAX: Final = 200
"""Observations and names fetched as candidates for one search; `pool_capped` says that there were more."""
SEARCH_POOL_WIDER_MAX: Final = 1_000
"""The pool of a search with filters, or when all of the pool is tied at its cut."""
SEARCH_NAMED_MAX: Final = 16
"""Entities that a query names, for ranking."""
SEARCH_RELATED_MAX: Final = 50
"""Relations of each of them that are looked at, for ranking."""
SEARCH_SESSION_HITS_MAX: Final = 30
"""Hits around which their sessions are looked at."""
SEARCH_ENTITIES_MAX: Final = 50
"""Entities whose evidence is fetched for one search."""
NEIGHBOURS_PER_ENTITY_MAX: Final = 12
"""Relations shown per entity; expansion stops here inside Cypher."""
OPEN_OBSERVATIONS_PER_ENTITY_MAX: Final = 500
OPEN_RELATIONS_MAX: Final = 500
TITLE_PIECES_MAX: Final = 160
"""Pieces of words that one find_by_title asks for; the longest words of the phrase are kept."""
TITLE_PHRASE_CHARS_MAX: Final = 512
TITLE_HITS_DEFAULT: Final = 10
TITLE_HITS_MAX: Final = 50
GRAPH_PAGE_DEFAULT: Final = 100
GRAPH_PAGE_MAX: Final = 500
GRAPH_TOTALS_S_MAX: Final = 2.0
"""Longest that read_graph counts; where that is not enough, it gives no totals."""
GRAPH_STREAM_PAGE_CHARS: Final = 1_000_000
"""What read_graph takes from the database at once when it streams."""
AS_OF_AGE_S_MIN: Final = 2
"""How long ago an instant must be to be read: what was written before it has been committed."""
PAST_MATCHES_MAX: Final = 5_000
"""Things with a word of the query that a search of the past looks at, the newest; `pool_capped` tells of more."""
PAST_OWNERS_MAX: Final = 5_000
PAST_WORK_ITEMS_MAX: Final = 5_000
HISTORY_PAGE_DEFAULT: Final = 100
HISTORY_PAGE_MAX: Final = 500

# Pointers (spec 04)
POINTER_TOKENS_MAX: Final = 256
POINTER_WINDOW_TOKENS_MAX: Final = 16
POINTERS_MAX: Final = 8
POINTER_BLOCK_BYTES_MAX: Final = 2_048
POINTER_BUDGET_SHARE: Final = 8
POINTER_OWNERS_MAX: Final = 8
"""Live owners of one key that are looked at: two are enough to know that it is ambiguous."""

# Bulk load (spec 02)
LOAD_BATCH_ITEMS: Final = 1_000
"""Records, texts and aliases of one transaction of a load."""
LOAD_CHECKPOINT_LINES: Final = 20_000
LOAD_LINE_BYTES_MAX: Final = 8 * 1024 * 1024
LOAD_PROBLEMS_SHOWN_MAX: Final = 20

# source_ref/v1 (spec 05); sizes in UTF-8 bytes
SOURCE_REF_BYTES_MAX: Final = 8 * 1024
SOURCE_REF_DEPTH_MAX: Final = 6
"""Objects and arrays inside each other, the envelope being the first."""
SOURCE_REF_KEYS_PER_OBJECT_MAX: Final = 64
SOURCE_REF_QUOTE_EXACT_BYTES_MAX: Final = 2 * 1024
SOURCE_REF_QUOTE_AFFIX_BYTES_MAX: Final = 256
SOURCE_REF_PROBLEMS_MAX: Final = 16
"""Problems listed for one payload; the rest is not looked for."""

SOURCE_PATH_BYTES_MAX: Final = 1024
"""A longer `ref.path` is stored with its reference, but is no evidence for memory-supports."""

# Documents and excerpts (spec 05)
DOCUMENT_BODY_BYTES_MAX: Final = 8 * 1024 * 1024
"""Body of `put_document`: JSON may write a character in several."""
DOCUMENT_BYTES_MAX: Final = 4 * 1024 * 1024
"""A document that is stored, or read by a resolver; larger ones are `too_large`."""
CHUNK_BYTES_MAX: Final = 8 * 1024
"""A chunk of a stored document; cut at a blank line or a line end in its second half, if there is one."""
DOCUMENT_TITLE_CHARS_MAX: Final = 512
SESSION_LOG_BYTES_MAX: Final = 32 * 1024 * 1024
"""A session log may be larger than the document that its messages make."""
EXCERPT_L0_BYTES_MAX: Final = 256
EXCERPT_L1_BYTES_MAX: Final = 8 * 1024
EXCERPT_L2_BYTES_MAX: Final = 32 * 1024
HEADING_DOCUMENT_LINES_MAX: Final = 20_000
"""A heading is looked for in documents of so many lines, since that means parsing them."""
RESOLVER_DEADLINE_S: Final = 4.0
"""Longest that one document may take to read; inside the deadline of a request."""
URL_REDIRECTS_MAX: Final = 3

# Memory sources (spec 06)
MEMORY_FILE_BYTES_MAX: Final = 4 * 1024 * 1024
MEMORY_TOTAL_BYTES_MAX: Final = 64 * 1024 * 1024
MEMORY_DIRECTORIES_MAX: Final = 32
MEMORY_FACT_CHARS_MAX: Final = 400
MEMORY_RELATIONS_MAX: Final = 10_000

# Tasks, notes, links (spec 07)
TASK_TITLE_CHARS_MAX: Final = 512
TASK_BODY_CHARS_MAX: Final = 8_000
REASON_CHARS_MAX: Final = 1_000
LIST_PAGE_DEFAULT: Final = 50
LIST_PAGE_MAX: Final = 500
LABELS_PAGE_MAX: Final = 5_000
LINK_SIGNALS_MAX: Final = 16
SUGGESTIONS_DEFAULT: Final = 10
SUGGESTIONS_MAX: Final = 100
SUGGESTION_POOL_MAX: Final = 200
"""Observations and names whose words answer a task's text; the entities that they belong to are candidates."""
SUGGESTION_NEIGHBOURS_MAX: Final = 100
"""Neighbours of linked entities that become candidates."""
SUGGESTION_MENTION_TOKENS_MAX: Final = 1_024

# Claims and governance (spec 08)
EVIDENCE_PER_CLAIM_MAX: Final = 64
EVIDENCE_EXCERPT_CHARS_MAX: Final = 200
CLAIM_OBJECT_CHARS_MAX: Final = 1_000
EXTRACT_TEXT_CHARS_MAX: Final = 20_000
EXTRACTED_CLAIMS_MAX: Final = 200
INDEPENDENT_EVIDENCE_MIN: Final = 3
MULTI_EVIDENCE_CONFIDENCE_MIN: Final = 0.7
APPROVAL_TTL_S_DEFAULT: Final = 24 * 3_600
APPROVAL_TTL_S_MAX: Final = 7 * 24 * 3_600
SENSITIVE_KINDS_MAX: Final = 64
