"""The command line: one verb per question, one file per verb, no arithmetic."""
