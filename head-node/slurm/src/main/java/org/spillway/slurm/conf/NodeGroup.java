package org.spillway.slurm.conf;

import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.spillway.api.OfferingView;
import org.spillway.slurm.manager.Slots;

/**
 * The nodes that Slurm declares for one instance type of a site.
 *
 * @param count 1 or more
 * @param memoryMebibytes what Slurm may count on: less than the type has, see {@link #usable}
 * @param gpuModel empty for any
 * @param features as a job's {@code --constraint} names them
 */
public record NodeGroup(
        String site,
        String type,
        int count,
        int cpus,
        long memoryMebibytes,
        int gpus,
        String gpuModel,
        List<String> features) {
    /** Kernel, firmware and a GPU's driver keep up to this part of an instance's memory. */
    private static final int KEPT_PERCENT = 5;

    /** slurmd, munged and the node's own program. */
    private static final long KEPT_MEBIBYTES = 256;

    private static final long MEBI = 1L << 20;

    public NodeGroup {
        features = List.copyOf(features);
    }

    /** @param offerings of this type in this site, at least one: in other zones and markets it is the same machine */
    static NodeGroup of(String site, String type, int count, List<OfferingView> offerings) {
        OfferingView one = offerings.getFirst();
        List<String> zones =
                offerings.stream().map(OfferingView::zone).distinct().toList();
        List<String> features = Stream.of(
                        site,
                        type,
                        zones.size() == 1 ? zones.getFirst() : "",
                        one.architecture(),
                        one.gpuModel(),
                        one.fabric())
                .map(NodeGroup::word)
                .filter(word -> !word.isEmpty())
                .distinct()
                .toList();
        return new NodeGroup(
                site, type, count, one.cpus(), usable(one.memoryBytes()), one.gpus(), word(one.gpuModel()), features);
    }

    /**
     * A node whose slurmd finds less memory than slurm.conf says is drained at once, and no provider tells how much of it
     * the kernel will see. So Slurm is told 95 of 100, less 256 MiB; at least half of it.
     *
     * @return MiB
     */
    static long usable(long memoryBytes) {
        long all = memoryBytes / MEBI;
        return Math.max(Math.max(1, all / 2), all * (100 - KEPT_PERCENT) / 100 - KEPT_MEBIBYTES);
    }

    /** The text as slurm.conf takes it for a feature or a model. */
    private static String word(String text) {
        return text.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9._]", "-");
    }

    /** In their order. */
    public List<String> names() {
        return IntStream.rangeClosed(1, count)
                .mapToObj(number -> Slots.name(site, type, number))
                .toList();
    }

    /** All names as Slurm writes them. */
    public String hostList() {
        String first = Slots.name(site, type, 1);
        return count == 1 ? first : first.substring(0, first.length() - 1) + "[1-" + count + "]";
    }

    /** As slurm.conf says it; empty for none. */
    public String gres() {
        return gpus == 0 ? "" : "gpu:" + (gpuModel.isEmpty() ? "" : gpuModel + ":") + gpus;
    }

    /** As slurm.conf has it. */
    public String line() {
        return "NodeName=" + hostList() + " CPUs=" + cpus + " RealMemory=" + memoryMebibytes
                + (gpus == 0 ? "" : " Gres=" + gres()) + " Feature=" + String.join(",", features) + " State=CLOUD";
    }
}
