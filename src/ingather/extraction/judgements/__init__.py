"""Judgements by rule: the checks of a template, and what follows from answered signalling questions."""
