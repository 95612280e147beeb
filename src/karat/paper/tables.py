"""Ours beside the printed: every stored result as plain tables of text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from karat.paper import printed
from karat.paper.entries import Entry
from karat.paper.incentives import FIRST
from karat.paper.layout import Result, Table, as_printed, number, with_error
from karat.paper.ranking_tables import ranking_tables
from karat.paper.reasons import PREFIX
from karat.paper.scaling_tables import scaling_tables
from karat.paper.statistics import mean_square, slope_p_value


def tables_of(entry: Entry, results: Mapping[str, Result]) -> list[Table]:
    """The tables of an entry, from the stored results of its experiments."""
    found: list[Table] = []
    for name in entry.experiments:
        if name in results and name.startswith(PREFIX):
            continue  # told with the market that it explains
        if name in results and entry.family == "ranking":
            found += ranking_tables(results[name], results.get(PREFIX + name))
        elif name in results:
            found += _MAKERS[entry.family](entry, results[name])
    return found


def _verification(entry: Entry, result: Result) -> list[Table]:
    if entry.id == "fig-6":
        return [_lines_through_points(result)]
    table = result["summary"]["table"]
    rows = []
    notes = []
    for n, found in table.items():
        mean, error = printed.VERIFICATION[int(n)]
        uniform, robust = found["uniform-0"], found["robust-0"]
        rows.append(
            (
                n,
                f"{mean:.3f} ({error:.3f})",
                *(
                    with_error(found[f"{way}-{rows}"])
                    for rows in (0, 200, 1000)
                    for way in ("uniform", "robust")
                ),
            )
        )
        if int(n) >= 100:
            near = "within" if abs(uniform["mean"] - mean) <= 3.0 * error else "outside"
            word = "reached" if robust["mean"] >= 0.97 else "not reached"
            notes.append(
                f"n = {n}: uniform {near} the printed mean plus or minus 3 s.e.; "
                f"robust {number(robust['mean'])}, must 0.97: {word}."
            )
    settings = result["settings"]
    notes.append(
        f"Pearson's correlation with the true values, {settings['trials']} trials. Population values, as "
        "printed, then previews: unbiased, and 0 where a squared distance is estimated below 0, as that of "
        "three vendors in ten with 200 rows. The paper does not say how distributions are drawn: here as "
        "uniform numbers divided by their sum."
    )
    head = (
        "n",
        "paper",
        "uniform",
        "robust",
        "uniform, 200 rows",
        "robust, 200",
        "uniform, 1,000",
        "robust, 1,000",
    )
    return [Table("verification", head, tuple(rows), tuple(notes))]


def _lines_through_points(result: Result) -> Table:
    """What r^2 and p the figure can have, from the paper's own table and from ours."""
    trials, rows = result["settings"]["trials"], []
    for n in (n for n in (100, 200, 500, 1000) if str(n) in result["summary"]["table"]):
        found = result["summary"]["table"][str(n)]
        squares = [r * r for r in found["uniform-0"]["trials"]]
        p = slope_p_value(found["fit"]["r2"], n)
        rows.append(
            (
                f"{n:,}",
                "1",
                number(mean_square(*printed.VERIFICATION[n], printed.VERIFICATION_TRIALS)),
                number(found["fit"]["r2"]),
                f"{min(squares):.3f} to {max(squares):.3f}",
                "below 1e-20" if p < 1e-20 else f"{p:.1e}",
            )
        )
    notes = (
        "A line's r^2 is the square of the correlation of its points. The printed means and standard errors "
        "of table 5 fix the mean square of its ten correlations: the third column, far from 1. One trial "
        "could be a lucky one; four plots of four cannot all be, and none of the trials here comes near.",
        "A whole number nearest to 0.65 or 0.79 is 1, and one nearest to a small p is 0: perhaps the figure "
        "prints rounded numbers. That is a guess.",
    )
    head = ("n", "paper, r^2", "mean r^2 by table 5", "here, drawn", f"here, {trials} trials", "p, drawn")
    return Table("verification: what r^2 the figure can have", head, tuple(rows), notes)


def _incentives(entry: Entry, result: Result) -> list[Table]:
    summary, name = result["summary"], str(result["experiment"])
    paper = printed.INCENTIVES[name.removeprefix("incentives-")]
    rows = []
    for i, (found, beside) in enumerate(zip(summary["correlation"], paper, strict=True)):
        rows.append(
            (
                str(i + 1),
                as_printed(beside[0]),
                with_error(found["uniform, squared"]),
                as_printed(beside[1]),
                with_error(found["uniform"]),
                with_error(found["code"]),
                with_error(found.get(FIRST)),
                with_error(found["anchor"]),
            )
        )
    own = [
        (str(i + 1), *(with_error(summary["own_change"][way][i], 4) for way in summary["own_change"]))
        for i in range(len(paper))
    ]
    reached = min(row["anchor"]["mean"] for row in summary["correlation"])
    falls = ", ".join(f"{way}: {'yes' if yes else 'no'}" for way, yes in summary["falls"].items())
    settings = result["settings"]
    notes = (
        f"n = {settings['n_vendors']}, m = {settings['rows']:,}, {settings['trials']} trials.",
        f"must: with a 100-row anchor at least 0.99 for every misreporter: lowest {number(reached)}: "
        f"{'reached' if reached >= 0.99 else 'not reached'}.",
        "Under the uniform mixture values are a V. Endless noise would make its vendor an outlier and draw "
        "every row to 1, that of i' = 1, too. The printed tables are low at i' = 1 and near 1 elsewhere: so "
        "is mmd with the preview of vendor 1, which is of P* unless vendor 1 misreports, as the reference. "
        "What the paper ran is not published.",
    )
    head = (
        "i'",
        "paper MMD²",
        "MMD²",
        "paper Ours",
        "mmd, uniform",
        "authors' code",
        "mmd, vendor 1's preview",
        "mmd, anchor of 100",
    )
    return [
        Table(f"{name}: correlation with the values by the test set", head, tuple(rows), notes),
        Table(
            f"{name}: change of the misreporter's own value",
            ("i'", *summary["own_change"]),
            tuple(own),
            (f"It falls for every vendor in every trial: {falls}.",),
        ),
    ]


def _divergences(entry: Entry, result: Result) -> list[Table]:
    summary, settings = result["summary"], result["settings"]
    errors, checks = summary["errors"], summary["laws"]
    largest, at = settings["cost_sizes"][-1], len(settings["cost_sizes"]) - 1
    rows = []
    for name, (sample, cost, triangle, huber) in printed.DIVERGENCES.items():
        slopes = ", ".join(f"{errors[name][str(d)]['slope']:.2f}" for d in settings["columns"])
        low, high = checks["huber_ratio"][name]
        rows.append(
            (
                name,
                sample,
                slopes,
                cost,
                f"m^{summary['growth'][name]:.1f}, {summary['seconds'][name][at]:.3f} s",
                "yes" if triangle else "no",
                f"{checks['triangle_violations'][name]} of {checks['cases']:,}",
                "yes" if huber else "no",
                f"{low:.2f} .. {high:.2f}",
            )
        )
    low, high = checks["huber_ratio"]["WD, second"]
    columns = ", ".join(map(str, settings["columns"]))
    notes = (
        f"Error against m: slope in log-log, at dim = {columns}; -0.5 is 1 / sqrt m.",
        "Huber: least and largest d((1-e)P* + eQ, P*) / (e d(Q, P*)); 1 .. 1 is the identity of equation 4.",
        "The first Wasserstein distance has the identity too, as every integral probability metric does: the "
        f"paper's cross holds for the second ({low:.2f} .. {high:.2f}), not for the first.",
        "MMD² is the biased estimate: its error is bias at first, which falls as 1 / m. WD's error is bias, "
        "too, and falls the slower the more dimensions there are.",
        f"Cost: growth over the largest three sizes, up to {largest:,} rows in 10 columns, and up to "
        f"{max([largest, *settings.get('large_sizes', [])]):,} for MMD, whose time is overhead below; then "
        f"seconds at {largest:,} rows.",
    )
    head = (
        "",
        "sample, paper",
        "slope",
        "cost, paper",
        "cost",
        "triangle, paper",
        "violations",
        "Huber, paper",
        "ratio",
    )
    return [Table("divergences", head, tuple(rows), notes)]


def _efficiency(entry: Entry, result: Result) -> list[Table]:
    summary, settings = result["summary"], result["settings"]
    found = []
    for criterion in ("l2", "l_inf", "inversions"):
        rows = []
        for label, by_size in summary["lines"].items():
            reasons = [one["not_run"] for one in by_size.values() if "not_run" in one]
            shown = (
                [f"not run: {reasons[0]}"]
                if reasons
                else [with_error(o[criterion]) for o in by_size.values()]
            )
            rows.append((label, *shown, *[""] * (len(by_size) - len(shown))))
        head = ("valuation", *(f"{100 * share:.0f} %" for share in summary["shares"]))
        found.append(Table(f"{result['experiment']}: {criterion} against m / m*", head, tuple(rows)))
    notes = (
        f"n = {settings['n_vendors']}, m* = {summary['large']:,}, {settings['trials']} trials, against "
        f"{settings['validation_rows']:,} rows of D_val; l2 and l_inf as shares of the spread of the values "
        "at m*, for valuations have units of their own.",
        "The paper's curves are images: its source has no numbers to lay beside.",
    )
    return [*found[:-1], replace(found[-1], notes=notes)]


_MAKERS: Mapping[str, Callable[[Entry, Result], list[Table]]] = {
    "verification": _verification,
    "incentives": _incentives,
    "divergences": _divergences,
    "efficiency": _efficiency,
    "scaling": scaling_tables,
}
