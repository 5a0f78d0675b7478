"""Excerpts of documents that source_ref/v1 points to (spec 05).

`registry` finds resolvers by the entry point group `graphsvc.resolvers` and asks one of them for a document;
`locator` finds the place in it; `excerpt` cuts and verifies. Each other module is one resolver, an extension
like any that a third party may install: nothing outside this package imports it.
"""
