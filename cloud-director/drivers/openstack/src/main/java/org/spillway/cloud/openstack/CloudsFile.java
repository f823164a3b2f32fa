package org.spillway.cloud.openstack;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.spillway.cloud.SiteSettings;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.YAMLException;

/**
 * A cloud of a {@code clouds.yaml}, as "Configuring OpenStack SDK Applications" of openstacksdk has it, with what a {@code
 * secure.yaml} adds. The secret itself is not kept: it is read from its file when it is sent.
 *
 * @param cloud its name
 * @param file that it stands in
 * @param secure the file with secrets beside it, or by the same search; null without one
 */
record CloudsFile(String cloud, Path file, @Nullable Path secure) {
    private static final String KEY = "cloud";
    private static final Set<String> KINDS = Set.of("", "password", "v3password", "v3applicationcredential");
    private static final long MAX_BYTES = 1 << 20;

    /** Where openstacksdk looks, in its order; the first file found is the one. */
    static List<Path> folders() {
        return List.of(
                Path.of("").toAbsolutePath(),
                Path.of(System.getProperty("user.home", "/")).resolve(".config/openstack"),
                Path.of("/etc/openstack"));
    }

    /** @param given by its path; null to look for it */
    static CloudsFile of(String cloud, @Nullable Path given, List<Path> folders) {
        if (given != null) {
            return new CloudsFile(cloud, given, existing(List.of(given.resolveSibling("secure.yaml"))));
        }
        Path file = existing(folders.stream()
                .flatMap(each -> List.of(each.resolve("clouds.yaml"), each.resolve("clouds.yml")).stream())
                .toList());
        if (file == null) {
            throw new SiteSettings.Invalid(
                    KEY,
                    "there is no clouds.yaml in "
                            + folders.stream().map(Path::toString).collect(Collectors.joining(", "))
                            + "; give its path as cloudsFile");
        }
        return new CloudsFile(
                cloud,
                file,
                existing(folders.stream()
                        .flatMap(each -> List.of(each.resolve("secure.yaml"), each.resolve("secure.yml")).stream())
                        .toList()));
    }

    private static @Nullable Path existing(List<Path> some) {
        return some.stream().filter(Files::exists).findFirst().orElse(null);
    }

    /** A cloud's fields, as the options of a site would say them. */
    record Read(Map<String, String> options, OpenStackSettings.Login login) {}

    Read read() {
        Map<?, ?> open = section(file);
        Map<?, ?> hidden = secure == null ? Map.of() : section(secure);
        if (open.isEmpty() && hidden.isEmpty()) {
            throw new SiteSettings.Invalid(
                    KEY, "there is no cloud '" + cloud + "' in " + file + ", but " + String.join(", ", names(file)));
        }
        Fields top = new Fields(open, hidden, file);
        if (top.text("verify", "true").equals("false")
                || top.text("insecure", "false").equals("true")) {
            throw new SiteSettings.Invalid(
                    KEY, file + " turns off checking of certificates (verify): name the authority as cacert instead");
        }
        if (!KINDS.contains(top.text("auth_type", ""))) {
            throw new SiteSettings.Invalid(
                    KEY,
                    file + " says auth_type " + top.text("auth_type", "")
                            + "; allowed: password, v3password, v3applicationcredential");
        }
        Fields auth = new Fields(inner(open), inner(hidden), file);
        Map<String, String> options = new LinkedHashMap<>();
        options.put("endpoint", auth.required("auth_url"));
        options.put("region", top.text("region_name", ""));
        String facing = top.text("interface", top.text("endpoint_type", "public"));
        options.put("interface", facing.replaceAll("URL$", ""));
        options.put("caFile", top.text("cacert", ""));
        options.values().removeIf(String::isEmpty);
        return new Read(options, login(auth, hidden));
    }

    private OpenStackSettings.Login login(Fields auth, Map<?, ?> hidden) {
        String id = auth.text("application_credential_id", "");
        String key = id.isEmpty() ? "password" : "application_credential_secret";
        auth.required(key);
        Path holder = secure != null && inner(hidden).containsKey(key) ? secure : file;
        OpenStackSettings.Secret secret = new OpenStackSettings.Secret(holder, List.of("clouds", cloud, "auth", key));
        if (!id.isEmpty()) {
            return new OpenStackSettings.Login.ApplicationCredential(id, secret);
        }
        return new OpenStackSettings.Login.Password(
                auth.named("user_id", "username"),
                auth.domain("user"),
                auth.named("project_id", "project_name"),
                auth.domain("project"),
                secret);
    }

    private Map<?, ?> section(Path of) {
        return root(of).get("clouds") instanceof Map<?, ?> clouds && clouds.get(cloud) instanceof Map<?, ?> one
                ? one
                : Map.of();
    }

    private static Map<?, ?> inner(Map<?, ?> section) {
        return section.get("auth") instanceof Map<?, ?> auth ? auth : Map.of();
    }

    private static Set<String> names(Path of) {
        Set<String> names = new TreeSet<>();
        if (root(of).get("clouds") instanceof Map<?, ?> clouds) {
            clouds.keySet().forEach(each -> names.add(String.valueOf(each)));
        }
        return names;
    }

    private static Map<?, ?> root(Path of) {
        try {
            return parsed(of);
        } catch (IOException unreadable) {
            throw new SiteSettings.Invalid(KEY, String.valueOf(unreadable.getMessage()));
        }
    }

    /** The value at a path of keys. The words of a mistake have nothing of the file's in them, which may be a secret. */
    static Optional<String> value(Path file, List<String> keys) throws IOException {
        Object at = parsed(file);
        for (String key : keys) {
            at = at instanceof Map<?, ?> map ? map.get(key) : null;
        }
        return Optional.ofNullable(at).map(String::valueOf);
    }

    private static Map<?, ?> parsed(Path file) throws IOException {
        try {
            if (Files.size(file) > MAX_BYTES) {
                throw new IOException(file + " is over " + MAX_BYTES + " bytes");
            }
            Object root = new Yaml(new SafeConstructor(new LoaderOptions())).load(Files.readString(file));
            return root instanceof Map<?, ?> map ? map : Map.of();
        } catch (YAMLException broken) {
            throw new IOException(file + " is no YAML");
        }
    }

    /** A section's fields: a secret file's above an open one's. */
    private record Fields(Map<?, ?> open, Map<?, ?> hidden, Path file) {
        String text(String key, String otherwise) {
            Object found = hidden.get(key) == null ? open.get(key) : hidden.get(key);
            return found == null ? otherwise : String.valueOf(found).strip();
        }

        String required(String key) {
            String found = text(key, "");
            if (found.isEmpty()) {
                throw new SiteSettings.Invalid(KEY, file + " has no auth." + key + " of this cloud");
            }
            return found;
        }

        OpenStackSettings.Named named(String id, String name) {
            return text(id, "").isEmpty()
                    ? new OpenStackSettings.Named("name", required(name))
                    : new OpenStackSettings.Named("id", text(id, ""));
        }

        /** A project's or a user's own; else that of both; else the one that every Keystone has. */
        OpenStackSettings.Named domain(String of) {
            for (String key : List.of(of + "_domain_id", of + "_domain_name", "domain_id", "domain_name")) {
                if (!text(key, "").isEmpty()) {
                    return new OpenStackSettings.Named(key.endsWith("id") ? "id" : "name", text(key, ""));
                }
            }
            return new OpenStackSettings.Named("name", "Default");
        }
    }
}
