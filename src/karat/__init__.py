"""karat: which vendor to buy data from, judged by the distribution behind the preview."""
