"""Facts about HTCondor, as data files of this package, with the version and source of each.

``contrib/knobs --tables`` writes ``knobs.tsv`` and ``defaults.tsv`` from HTCondor's sources;
the other files are kept by hand. A file is read when something is first asked of it.
"""
