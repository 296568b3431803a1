"""Numbers for a meta-analysis, computed from what was reported: conversions, effects and pooled estimates."""
