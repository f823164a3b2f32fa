package org.spillway.stage.tree;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The image that a job runs in, as a submission names it. Pure. */
public sealed interface ImageName {
    /** All that a submission may name. */
    String KNOWN = "[REGISTRY/]REPOSITORY[:TAG][@sha256:DIGEST], oci:/FOLDER, oci-archive:/FILE, or " + ImageName.NONE;

    /** No image, though the queue has one. */
    String NONE = "none";

    /** Before the name of an image among the inputs of a job. */
    String AS_INPUT = "container:";

    /** Longest text of one, in characters. */
    int TEXT_MAX = 1024;

    /** Where names without a registry lie. */
    String USUAL_REGISTRY = "docker.io";

    Pattern DIGEST = Pattern.compile("(?<name>.*)@(?<digest>sha256:[0-9a-f]{64})", Pattern.DOTALL);

    Pattern REGISTRY = Pattern.compile(
            "(?:localhost|(?=[^/]*[.:])(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*|\\[[0-9A-Fa-f:.]+]))(?::[0-9]{1,5})?");

    Pattern REPOSITORY =
            Pattern.compile("[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*(?:/[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*)*");

    Pattern TAG = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9._-]{0,127}");

    /**
     * In a registry.
     *
     * @param registry host, with its port if it has one
     * @param repository with the namespace that names without one have
     * @param tag empty where only a digest was named
     * @param digest {@code sha256:} and 64 hex digits; empty for what the tag is by now
     */
    record Remote(String registry, String repository, String tag, String digest) implements ImageName {
        @Override
        public ImageName pinned(String to) {
            return new Remote(registry, repository, tag, to);
        }

        @Override
        public String text() {
            return registry + "/" + repository + (tag.isEmpty() ? "" : ":" + tag)
                    + (digest.isEmpty() ? "" : "@" + digest);
        }

        /** By which a registry finds it. */
        public String reference() {
            return digest.isEmpty() ? tag : digest;
        }

        /** Whether the registry is a process of this very machine, which is spoken to without TLS. */
        public boolean isLoopback() {
            String host = registry.replaceAll(":[0-9]+$", "");
            return host.equals("localhost") || host.equals("[::1]") || host.matches("127(?:\\.[0-9]{1,3}){3}");
        }
    }

    /**
     * Among the user's files: an OCI layout.
     *
     * @param path absolute
     * @param packed whether it is a tar file of one
     * @param digest as of {@link Remote}
     */
    record Local(String path, boolean packed, String digest) implements ImageName {
        @Override
        public ImageName pinned(String to) {
            return new Local(path, packed, to);
        }

        @Override
        public String text() {
            return (packed ? "oci-archive:" : "oci:") + path + (digest.isEmpty() ? "" : "@" + digest);
        }
    }

    String digest();

    /** The same by a digest. */
    ImageName pinned(String digest);

    /** A text of which {@link #of} makes the same. */
    String text();

    /** @throws IllegalArgumentException with what is wrong, if it is none */
    static ImageName of(String text) {
        if (text.length() > TEXT_MAX || text.chars().anyMatch(Character::isISOControl)) {
            throw new IllegalArgumentException("it is longer than " + TEXT_MAX + " characters, or has controls in it");
        }
        Matcher pinned = DIGEST.matcher(text);
        boolean has = pinned.matches();
        String name = has ? pinned.group("name") : text;
        String digest = has ? pinned.group("digest") : "";
        if (name.startsWith("oci:") || name.startsWith("oci-archive:")) {
            String path = name.substring(name.indexOf(':') + 1);
            if (!path.startsWith("/") || path.endsWith("/") || ("/" + path + "/").contains("/../")) {
                throw new IllegalArgumentException("an OCI layout is named by its absolute path");
            }
            return new Local(path, name.startsWith("oci-archive:"), digest);
        }
        return remote(name.startsWith("docker://") ? name.substring("docker://".length()) : name, digest);
    }

    private static ImageName remote(String name, String digest) {
        int slash = name.indexOf('/');
        String first = slash < 0 ? "" : name.substring(0, slash);
        boolean named = REGISTRY.matcher(first).matches();
        String registry = named ? first.toLowerCase(Locale.ROOT) : USUAL_REGISTRY;
        String rest = named ? name.substring(slash + 1) : name;
        int colon = rest.lastIndexOf(':');
        boolean tagged = colon > rest.lastIndexOf('/');
        String repository = tagged ? rest.substring(0, colon) : rest;
        String tag = tagged ? rest.substring(colon + 1) : digest.isEmpty() ? "latest" : "";
        if (repository.length() > 255 || !REPOSITORY.matcher(repository).matches()) {
            throw new IllegalArgumentException("'" + repository + "' is no name of a repository");
        }
        if (tagged && !TAG.matcher(tag).matches()) {
            throw new IllegalArgumentException("'" + tag + "' is no tag");
        }
        boolean usual = registry.equals(USUAL_REGISTRY) && !repository.contains("/");
        return new Remote(registry, usual ? "library/" + repository : repository, tag, digest);
    }
}
