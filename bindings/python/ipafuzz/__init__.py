"""A model-based API fuzzer for solver libraries (IPASIR, IPAMIR), for Python.

docs/python.md shows how it is used. Importing it starts nothing.
"""
from .archives import Archive
from .campaigns import Campaign, Fault, Found, Summary
from .errors import (Error, ForkError, IllegalTrace, InternalError, NotFailing, ParseError, SurroundingsError,
                     TargetError, TraceError, UsageError)
from .generators import generate, generate_many, names, stats
from .runner import serve
from .targets import Finding, Reduced, Result, Target, export, export_c, minimize, replay
from .traces import Trace, read

__all__ = [
    "Archive", "Campaign", "Error", "Fault", "Finding", "ForkError", "Found", "IllegalTrace", "InternalError",
    "NotFailing", "ParseError", "Reduced", "Result", "Summary", "SurroundingsError", "Target", "TargetError",
    "Trace", "TraceError", "UsageError", "export", "export_c", "generate", "generate_many", "minimize", "names",
    "read", "replay", "serve", "stats",
]
