package org.spillway.stage.worker;

import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.spillway.stage.tree.TarFormat;
import org.spillway.stage.worker.UserFiles.Packed;

/** Bounds and rules of every bundle: many files as one tar stream. Pure. */
public final class Bundles {
    /** Most files in one bundle: what fits into a worker's heap when their names are as long as they may be together. */
    public static final int FILES_MAX = 150_000;
    /** Longest name of a member, in bytes of UTF-8. */
    public static final int NAME_BYTES_MAX = 4096;
    /** Most rules of one unpacking. */
    public static final int RULES_MAX = 1000;
    /** So many skipped members are told by name. */
    public static final int REASONS_MAX = 20;
    /** All names of one list together, in characters: what a worker's memory is made for. */
    static final int NAMES_MAX = 24 << 20;

    private Bundles() {}

    /** Length of the tar stream of these files. */
    public static long length(List<Packed> files) {
        long bytes = TarFormat.END_BYTES;
        for (Packed file : files) {
            bytes += TarFormat.header(member(file)).length + file.bytes() + TarFormat.padding(file.bytes());
        }
        return bytes;
    }

    /** A file in the tar stream. */
    public static TarFormat.Member member(Packed file) {
        long seconds = Math.floorDiv(file.modifiedNanos(), TimeUnit.SECONDS.toNanos(1));
        return new TarFormat.Member(file.name(), file.bytes(), seconds, file.executable());
    }

    /** @throws IllegalArgumentException if two files have one name, or one has another as its folder, or they are too many */
    public static void check(List<Packed> files) {
        if (files.size() > FILES_MAX) {
            throw new IllegalArgumentException(
                    "a bundle of " + files.size() + " files is too large: at most " + FILES_MAX);
        }
        Set<String> names = new HashSet<>();
        long characters = 0;
        for (Packed file : files) {
            characters += file.name().length() + file.path().length();
            if (!names.add(file.name())) {
                throw new IllegalArgumentException("two files would have the name '" + say(file.name()) + "'");
            }
        }
        if (characters > 2L * NAMES_MAX) {
            throw new IllegalArgumentException("the names of the files are too long together: pack them first");
        }
        for (Packed file : files) {
            for (int slash = file.name().indexOf('/');
                    slash > 0;
                    slash = file.name().indexOf('/', slash + 1)) {
                if (names.contains(file.name().substring(0, slash))) {
                    throw new IllegalArgumentException(
                            "'" + say(file.name().substring(0, slash)) + "' would be both a file and a folder");
                }
            }
        }
    }

    /** @throws IllegalArgumentException if it is absolute, has empty, {@code .} or {@code ..} parts, or is too long */
    public static void checkName(String name) {
        boolean bad = name.isEmpty()
                || name.startsWith("/")
                || name.endsWith("/")
                || name.indexOf(0) >= 0
                || ("/" + name + "/").contains("//")
                || ("/" + name + "/").contains("/./")
                || ("/" + name + "/").contains("/../");
        if (bad || name.length() > NAME_BYTES_MAX || name.getBytes(StandardCharsets.UTF_8).length > NAME_BYTES_MAX) {
            throw new IllegalArgumentException("'" + say(name) + "' cannot be a name in a bundle");
        }
    }

    /** For a message. */
    static String say(String name) {
        String shown = name.length() > 200 ? name.substring(0, 200) + "..." : name;
        return shown.replaceAll("\\p{Cntrl}", "?");
    }
}
