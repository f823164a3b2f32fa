package org.spillway.scaler.simulate.report;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;
import org.spillway.scaler.simulate.SimulationResult;
import org.spillway.scaler.simulate.SimulationResult.Sample;

/** A page that needs nothing beside it: the figures of all policies, and how queue, nodes and cost went. */
public final class HtmlPage {
    static final int COLOURS = 8;

    private static final String STYLE = """
            :root { color-scheme: light dark; --ink: #1c2530; --paper: #fff; --faint: #d5dbe3; --mark: #eef3f9 }
            @media (prefers-color-scheme: dark) {
              :root { --ink: #e4e9ef; --paper: #14191f; --faint: #3a444f; --mark: #1f2831 } }
            body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
              max-width: 62rem; margin: 2rem auto; padding: 0 1rem }
            h1 { font-size: 1.5rem } h2 { font-size: 1.15rem; margin-top: 2rem } pre { white-space: pre-wrap }
            .scroll { overflow-x: auto } table { border-collapse: collapse; font-variant-numeric: tabular-nums }
            th, td { padding: .3rem .7rem; text-align: right; border-bottom: 1px solid var(--faint) }
            th:first-child, td:first-child { text-align: left } th { background: var(--mark) }
            figure { margin: 1.2rem 0 } figcaption { font-weight: 600 }
            svg { width: 100%; height: auto } svg text { fill: var(--ink); font-size: 12px }
            svg text.right { text-anchor: end } svg .grid { stroke: var(--faint) }
            polyline { fill: none; stroke: currentColor; stroke-width: 1.5 } circle { fill: currentColor }
            .legend { margin: 0 } .legend span { margin-right: 1rem }
            .c0 { color: #2a78c8 } .c1 { color: #d9662b } .c2 { color: #2f9e62 } .c3 { color: #a24fc4 }
            .c4 { color: #c9a227 } .c5 { color: #d13b6a } .c6 { color: #2aa5ad } .c7 { color: #8a7a66 }
            """;

    private HtmlPage() {}

    /**
     * @param heading what was replayed where, some lines of plain text
     * @param results at least one
     */
    public static String of(String title, String heading, List<SimulationResult> results) {
        var page = new StringBuilder("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n");
        page.append("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>");
        page.append(escape(title)).append("</title>\n<style>\n").append(STYLE).append("</style></head><body>\n<h1>");
        page.append(escape(title))
                .append("</h1>\n<pre>")
                .append(escape(heading))
                .append("</pre>\n");
        page.append("<h2>Policies</h2>\n").append(table(results)).append(comparison(results));
        page.append("<h2>Over time</h2>\n");
        page.append(each("Cost", results, sample -> sample.cost().micros() / 1e6));
        page.append(each("Jobs that wait", results, Sample::waitingJobs));
        page.append(each("Nodes in the clouds, with those on the way", results, Sample::cloudNodes));
        int colour = 0;
        for (SimulationResult result : results) {
            page.append("<h2>").append(escape(result.policy())).append("</h2>\n");
            page.append(one(result, colour++)).append(uses(result));
        }
        return page.append("</body></html>\n").toString();
    }

    private static String table(List<SimulationResult> results) {
        var text = new StringBuilder("<div class=\"scroll\"><table><tr><th>policy</th><th>mean wait, s</th>"
                + "<th>median, s</th><th>p95, s</th><th>bounded slowdown</th><th>home in use</th><th>node-hours</th>"
                + "<th>idle</th><th>cost of idle</th><th>cost</th><th>deadlines met</th><th>taken back</th></tr>\n");
        for (SimulationResult result : results) {
            row(
                    text,
                    result.policy(),
                    number(result.waits().mean(), 0),
                    number(result.waits().median(), 0),
                    number(result.waits().p95(), 0),
                    number(result.waits().slowdown(), 2),
                    number(100 * result.homeUse(), 1) + " %",
                    number(result.cloud().nodeHours(), 0),
                    number(result.cloud().idleHours(), 0),
                    number(result.cloud().idleCost().micros() / 1e6, 2),
                    number(result.cloud().cost().micros() / 1e6, 2),
                    result.deadlines().of() == 0
                            ? "-"
                            : result.deadlines().met() + " of "
                                    + result.deadlines().of(),
                    Integer.toString(result.cloud().reclaimed()));
        }
        return text.append("</table></div>\n").toString();
    }

    private static void row(StringBuilder text, String... cells) {
        text.append("<tr>");
        for (String cell : cells) {
            text.append("<td>").append(escape(cell)).append("</td>");
        }
        text.append("</tr>\n");
    }

    /** Each policy as a point: the nearer to the lower left corner, the better. */
    private static String comparison(List<SimulationResult> results) {
        double mostCost = 1e-9;
        double mostWait = 1e-9;
        for (SimulationResult result : results) {
            mostCost = Math.max(mostCost, result.cloud().cost().micros() / 1e6);
            mostWait = Math.max(mostWait, result.waits().p95());
        }
        var text =
                new StringBuilder("<figure><figcaption>Cost against the 95th percentile of waiting: the lower left is"
                        + " better</figcaption>\n<svg viewBox=\"0 0 860 300\" role=\"img\" aria-label=\"Cost against waiting\">\n"
                        + "<line class=\"grid\" x1=\"70\" x2=\"70\" y1=\"10\" y2=\"270\"/>"
                        + "<line class=\"grid\" x1=\"70\" x2=\"850\" y1=\"270\" y2=\"270\"/>\n");
        text.append("<text x=\"70\" y=\"290\">cost 0</text><text class=\"right\" x=\"850\" y=\"290\">")
                .append(number(mostCost, 0))
                .append("</text><text class=\"right\" x=\"64\" y=\"20\">")
                .append(number(mostWait, 0))
                .append(" s</text>\n");
        int colour = 0;
        for (SimulationResult result : results) {
            double x = 70 + 700 * result.cloud().cost().micros() / 1e6 / mostCost;
            double y = 270 - 250 * result.waits().p95() / mostWait;
            text.append(String.format(
                    Locale.ROOT,
                    "<circle class=\"c%d\" cx=\"%.1f\" cy=\"%.1f\" r=\"6\"/><text x=\"%.1f\" y=\"%.1f\">%s</text>%n",
                    colour++ % COLOURS,
                    x,
                    y,
                    x > 600 ? x - 10 - 7.0 * result.policy().length() : x + 10,
                    y + 4,
                    escape(result.policy())));
        }
        return text.append("</svg></figure>\n").toString();
    }

    private static String each(String title, List<SimulationResult> results, ToDoubleFunction<Sample> value) {
        // A result that took longer to the end of all jobs has later samples, or at each second, fourth... time only.
        SimulationResult longest = results.stream()
                .max(Comparator.comparingLong(
                        result -> stepMillis(result) * result.samples().size()))
                .orElseThrow();
        long step = results.stream().mapToLong(HtmlPage::stepMillis).max().orElseThrow();
        Chart chart = chart(title, longest);
        int colour = 0;
        for (SimulationResult result : results) {
            double[] all = values(result, value);
            int each = (int) Math.max(1, step / Math.max(1, stepMillis(result)));
            double[] shown = IntStream.range(0, Math.ceilDiv(all.length, each))
                    .mapToDouble(i -> all[i * each])
                    .toArray();
            chart.line(result.policy(), colour++, shown);
        }
        return chart.svg();
    }

    private static long stepMillis(SimulationResult result) {
        List<Sample> samples = result.samples();
        return samples.size() < 2
                ? 0
                : Duration.between(samples.get(0).at(), samples.get(1).at()).toMillis();
    }

    private static String one(SimulationResult result, int colour) {
        return chart("Queue and nodes", result)
                        .line("node slots that wait", 1, values(result, Sample::waitingNodes))
                        .line("nodes in the clouds", colour == 1 ? 0 : colour, values(result, Sample::cloudNodes))
                        .line("of them with jobs", 2, values(result, Sample::cloudBusy))
                        .svg()
                + chart("Home in use, %", result)
                        .line("in use", 6, values(result, sample -> 100 * sample.homeUse()))
                        .svg();
    }

    private static Chart chart(String title, SimulationResult result) {
        List<Sample> samples = result.samples();
        return samples.isEmpty()
                ? new Chart(title, "", "")
                : new Chart(
                        title,
                        day(samples.getFirst().at()),
                        day(samples.getLast().at()));
    }

    private static double[] values(SimulationResult result, ToDoubleFunction<Sample> value) {
        return result.samples().stream().mapToDouble(value).toArray();
    }

    private static String uses(SimulationResult result) {
        var text = new StringBuilder("<div class=\"scroll\"><table><tr><th>offering</th><th>launched</th>"
                + "<th>launches short</th><th>node-hours</th><th>cost</th></tr>\n");
        for (SimulationResult.Use use : result.uses()) {
            row(
                    text,
                    use.offering().toString(),
                    Long.toString(use.launched()),
                    Integer.toString(use.refused()),
                    number(use.nodeHours(), 1),
                    number(use.cost().micros() / 1e6, 2));
        }
        return text.append("</table></div>\n").toString();
    }

    private static String day(Instant at) {
        return at.atOffset(ZoneOffset.UTC).toLocalDate().toString();
    }

    private static String number(double value, int digits) {
        return String.format(Locale.ROOT, "%,." + digits + "f", value);
    }

    /** A log's and a policy's text is another's. */
    static String escape(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;")
                .replace("'", "&#39;");
    }
}
