"""What karat promises about its answers, simulated: coverage, variances, wrong decisions, repeated looks."""
