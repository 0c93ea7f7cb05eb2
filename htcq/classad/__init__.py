"""The ClassAd language: tokens, trees, and what is asked of an expression without evaluating it.

Everything that HTCondor's daemons and tools read is in the language of old ClassAds
(:mod:`htcq.classad.dialect`); that is what every text of an expression in htcq is in. Values come
from the ClassAd library (``htcq.classads``) or from ``htcq.columns``.
"""
