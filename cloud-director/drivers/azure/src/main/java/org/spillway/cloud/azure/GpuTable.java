package org.spillway.cloud.azure;

import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * GPU models behind size families, which the API does not tell. Source: the size pages of Microsoft's "GPU accelerated
 * virtual machine sizes" as of 2026; the first row that matches counts.
 */
final class GpuTable {
    private static final long GIB = 1L << 30;

    /** @param memoryBytes of each GPU @param fraction whether sizes of this row may have a share of one */
    record Gpu(String model, long memoryBytes, boolean fraction) {}

    private record Row(Pattern size, Gpu gpu) {}

    private static final List<Row> ROWS = List.of(
            row("GB300", "gb300", 288),
            row("GB200", "gb200", 192),
            row("MI300X", "mi300x", 192),
            row("H200", "h200", 141),
            row("(_|standard| )NC.*H100", "h100", 94),
            row("H100", "h100", 80),
            row("(_|standard| )ND.*A?msr.*(A100|v4)|(_|standard| )NDAMSv4", "a100", 80),
            row("(_|standard| )NC.*A100", "a100", 80),
            row("(_|standard| )ND.*(A100|v4)", "a100", 40),
            share("(_|standard| )NV(6|12|18)ad.*A10_v5", "a10", 24),
            row("A10(_|v5)", "a10", 24),
            row("T4", "t4", 16),
            share("(_|standard| )NV(4|8|16)as_v4", "mi25", 16),
            row("(_|standard| )NV.*_v4|(_|standard| )NVSv4", "mi25", 16),
            share("(_|standard| )NG(8|16)ad.*V620", "v620", 32),
            row("V620", "v620", 32),
            row("(_|standard| )ND40rs_v2|(_|standard| )NDSv2", "v100", 32),
            row("(_|standard| )NC.*s_v3|(_|standard| )NCSv3", "v100", 16),
            row("(_|standard| )NV.*_v3|(_|standard| )NVSv3", "m60", 8),
            row("(_|standard| )NC.*s_v2|(_|standard| )NCSv2", "p100", 16),
            row("(_|standard| )ND[0-9]+r?s$|(_|standard| )NDSFamily", "p40", 24),
            row("(_|standard| )NC[0-9]+r?$|(_|standard| )NCFamily", "k80", 12),
            row("(_|standard| )NV[0-9]+$|(_|standard| )NVFamily", "m60", 8));

    private GpuTable() {}

    /** @param size such as {@code Standard_ND96isr_H100_v5} @param family such as {@code standardNDSH100v5Family} */
    static Optional<Gpu> find(String size, String family) {
        return match(size).or(() -> match(family));
    }

    private static Optional<Gpu> match(String text) {
        return ROWS.stream()
                .filter(row -> row.size().matcher(text).find())
                .map(Row::gpu)
                .findFirst();
    }

    private static Row row(String size, String model, long gib) {
        return new Row(Pattern.compile(size, Pattern.CASE_INSENSITIVE), new Gpu(model, gib * GIB, false));
    }

    private static Row share(String size, String model, long gib) {
        return new Row(Pattern.compile(size, Pattern.CASE_INSENSITIVE), new Gpu(model, gib * GIB, true));
    }
}
