package org.spillway.cloud.catalogue;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.spillway.cloud.SiteSettings;
import org.spillway.policy.Market;
import org.spillway.policy.Money;
import org.spillway.policy.Offering;
import org.spillway.policy.OfferingId;
import org.spillway.policy.Resources;

/**
 * A catalogue on disk. It is good for the settings under which it was read and no others: another region sells other
 * things. Losing it, or not being able to read it, loses nothing.
 */
final class CatalogueFile {
    private static final int SCHEMA = 1;
    private static final long MAX_BYTES = 256L << 20;
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Path file;
    private final String site;
    private final String fingerprint;

    CatalogueFile(String driver, SiteSettings settings) {
        this.file = settings.stateDirectory().resolve("offerings-" + settings.site() + ".json");
        this.site = settings.site();
        this.fingerprint = fingerprint(driver, settings);
    }

    Path path() {
        return file;
    }

    private static String fingerprint(String driver, SiteSettings settings) {
        String text = driver + "\n" + new TreeMap<>(settings.options()) + "\n" + new TreeMap<>(settings.prices()) + "\n"
                + settings.currency();
        try {
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** Empty when there is none for these settings that can be read. */
    Optional<Catalogue> read() {
        try {
            if (!Files.isRegularFile(file) || Files.size(file) > MAX_BYTES) {
                return Optional.empty();
            }
            JsonNode root = JSON.readTree(file.toFile());
            boolean ours = root.path("schema").asInt() == SCHEMA
                    && root.path("settings").asText().equals(fingerprint);
            if (!ours) {
                return Optional.empty();
            }
            List<Offering> offerings = new ArrayList<>();
            for (JsonNode each : root.path("offerings")) {
                offerings.add(offering(each));
            }
            return Optional.of(new Catalogue(Instant.parse(root.path("readAt").asText()), offerings));
        } catch (IOException | IllegalArgumentException | DateTimeException unreadable) {
            return Optional.empty();
        }
    }

    private Offering offering(JsonNode each) {
        Set<String> features = new HashSet<>();
        each.path("features").forEach(feature -> features.add(feature.asText()));
        return Offering.of(
                        new OfferingId(
                                site,
                                each.path("zone").asText(),
                                each.path("type").asText(),
                                Market.valueOf(each.path("market").asText())),
                        new Resources(
                                each.path("cpus").asInt(),
                                each.path("memoryBytes").asLong(),
                                each.path("gpus").asInt(),
                                each.path("gpuModel").asText(),
                                each.path("localDiskBytes").asLong()),
                        Money.parse(each.path("pricePerHour").asText()))
                .withFeatures(features)
                .withGpuMemoryBytes(each.path("gpuMemoryBytes").asLong());
    }

    /** There whole, or as it was. */
    void write(Catalogue catalogue) throws IOException {
        ObjectNode root = JSON.createObjectNode();
        root.put("schema", SCHEMA).put("site", site).put("settings", fingerprint);
        root.put("readAt", catalogue.readAt().toString());
        ArrayNode list = root.putArray("offerings");
        catalogue.offerings().forEach(offering -> write(list.addObject(), offering));
        Path directory = file.toAbsolutePath().getParent();
        if (directory == null) {
            throw new IOException("no directory for " + file);
        }
        Files.createDirectories(directory);
        Path next = Files.createTempFile(
                directory,
                ".offerings",
                ".new",
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        try {
            Files.write(next, bytes(root));
            Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(next);
        }
    }

    private static byte[] bytes(ObjectNode root) throws IOException {
        try {
            return JSON.writeValueAsBytes(root);
        } catch (JsonProcessingException unwritable) {
            throw new IOException(unwritable);
        }
    }

    private static void write(ObjectNode node, Offering offering) {
        Resources resources = offering.resources();
        node.put("zone", offering.id().zone())
                .put("type", offering.id().instanceType())
                .put("market", offering.id().market().name())
                .put("cpus", resources.cpus())
                .put("memoryBytes", resources.memoryBytes())
                .put("gpus", resources.gpus())
                .put("gpuModel", resources.gpuModel())
                .put("localDiskBytes", resources.localDiskBytes())
                .put("gpuMemoryBytes", offering.gpuMemoryBytes())
                .put("pricePerHour", offering.pricePerHour().toString());
        ArrayNode features = node.putArray("features");
        offering.features().stream().sorted().forEach(features::add);
    }
}
