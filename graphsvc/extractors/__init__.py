"""Extractors: plug-ins that find claims in a text (spec 08). An installed package adds one with

    [project.entry-points."graphsvc.extractors"]
    patterns = "graphsvc.extractors.patterns:extract"

An extractor is a function from a text to ExtractedClaims, in order of their place. It proposes; it decides nothing.
"""
