package org.spillway.head.config;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.spillway.settings.Quantities;
import org.spillway.settings.Section;
import org.spillway.stage.pull.Gate;
import org.spillway.stage.pull.Networks;

/** The section {@code staging}. */
final class StagingReader {
    private static final long LEAST_STAGED = 1L << 20;
    private static final long MOST_STAGED = 1L << 50;
    private static final String STAGED = "a size from 1MiB to 1024TiB, such as 500GiB";
    private static final int MOST_NETWORKS = 100;
    private static final String NETWORKS = "a list of networks, such as 10.0.0.0/8";

    private StagingReader() {}

    static HeadConfig.Staging read(Section section, Path base) {
        long none = HeadConfig.Staging.UNLIMITED.perUserBytes();
        long perUser = section.value("perUser", none, none, STAGED, text -> {
            long bytes = -1;
            try {
                bytes = Quantities.bytes(text);
            } catch (IllegalArgumentException malformed) {
                // As one that is too small.
            }
            if (bytes < LEAST_STAGED || bytes > MOST_STAGED) {
                throw new IllegalArgumentException("found '" + text + "'; allowed: " + STAGED);
            }
            return bytes;
        });
        List<String> networks = new ArrayList<>();
        section.wordsIfAny("networks", NETWORKS).forEach((text, where) -> {
            try {
                Networks.of(List.of(text));
                networks.add(text);
            } catch (IllegalArgumentException malformed) {
                section.mistakeAt(where, "networks", String.valueOf(malformed.getMessage()));
            }
        });
        if (networks.size() > MOST_NETWORKS) {
            section.mistake("networks", "found " + networks.size() + "; allowed: " + MOST_NETWORKS);
        }
        Optional<Path> file = DirectoryReader.file(section, "caFile", base);
        String trust = file.map(path -> trust(section, path)).orElse("");
        section.noMore();
        return new HeadConfig.Staging(perUser, networks, trust);
    }

    private static String trust(Section section, Path file) {
        try {
            String text = Files.readString(file);
            new Gate(Networks.of(List.of()), (InetSocketAddress address) -> false, text);
            return text;
        } catch (IOException | IllegalArgumentException e) {
            section.mistake("caFile", "found '" + file + "', which holds no certificates in PEM");
            return "";
        }
    }
}
