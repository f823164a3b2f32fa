package org.spillway.localcloud;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;

/**
 * First-boot data as far as cloud-init's two usual formats go. An instance has one account, that of the local-cloud,
 * under every name: the keys of all users open it, and their shells and sudo rules change nothing. Files are not written:
 * absolute paths are this machine's own.
 *
 * @param script what to run, with its {@code #!}; empty for nothing
 * @param hostKey private host key as PEM; empty to make one
 * @param authorizedKeys in OpenSSH's format
 * @param remarks lines for the console about what was not understood
 */
record UserData(String script, String hostKey, List<String> authorizedKeys, List<String> remarks) {
    private static final List<String> HOST_KEYS = List.of("ed25519_private", "ecdsa_private", "rsa_private");
    /** Of a user; true of the one account by itself, or without a meaning for it. */
    private static final Set<String> USER_KEYS =
            Set.of("name", "gecos", "shell", "sudo", "groups", "lock_passwd", "ssh_authorized_keys");

    UserData {
        authorizedKeys = List.copyOf(authorizedKeys);
        remarks = List.copyOf(remarks);
    }

    static UserData parse(String text) {
        if (text.isBlank()) {
            return new UserData("", "", List.of(), List.of());
        }
        if (text.startsWith("#!")) {
            return new UserData(text, "", List.of(), List.of());
        }
        if (text.startsWith("#cloud-config")) {
            try {
                Object root = new Yaml(new SafeConstructor(new LoaderOptions())).load(text);
                return root instanceof Map<?, ?> map
                        ? cloudConfig(map)
                        : new UserData("", "", List.of(), List.of("user data: #cloud-config is no mapping, ignored"));
            } catch (YAMLException bad) {
                // The parser's message quotes the text, with the host key.
                int line = bad instanceof MarkedYAMLException marked && marked.getProblemMark() != null
                        ? marked.getProblemMark().getLine() + 1
                        : 1;
                return new UserData("", "", List.of(), List.of("user data: not YAML in line " + line + ", ignored"));
            }
        }
        return new UserData("", "", List.of(), List.of("user data: starts with neither #! nor #cloud-config, ignored"));
    }

    private static UserData cloudConfig(Map<?, ?> map) {
        List<String> remarks = new ArrayList<>();
        String hostKey = "";
        List<String> keys = new ArrayList<>();
        String script = "";
        for (Map.Entry<?, ?> entry : map.entrySet()) {
            String key = String.valueOf(entry.getKey());
            switch (key) {
                case "ssh_keys" -> hostKey = hostKey(entry.getValue(), remarks);
                case "ssh_authorized_keys" -> keys.addAll(strings(entry.getValue()));
                case "users" -> keys.addAll(userKeys(entry.getValue(), remarks));
                case "runcmd" -> script = script(entry.getValue());
                default -> remarks.add("cloud-config: " + key + ": ignored");
            }
        }
        return new UserData(script, hostKey, keys, remarks);
    }

    private static String hostKey(Object value, List<String> remarks) {
        if (value instanceof Map<?, ?> keys) {
            for (String kind : HOST_KEYS) {
                Object pem = keys.get(kind);
                if (pem != null) {
                    return pem.toString().strip() + "\n";
                }
            }
        }
        remarks.add("cloud-config: ssh_keys: none of " + HOST_KEYS + ", a key is made");
        return "";
    }

    /** An entry is a mapping, or a name such as {@code default}. */
    private static List<String> userKeys(@Nullable Object value, List<String> remarks) {
        List<String> keys = new ArrayList<>();
        for (Object user : value instanceof List<?> list ? list : List.of()) {
            if (user instanceof Map<?, ?> map) {
                keys.addAll(strings(map.get("ssh_authorized_keys")));
                map.keySet().stream()
                        .map(String::valueOf)
                        .filter(key -> !USER_KEYS.contains(key))
                        .forEach(key -> remarks.add("cloud-config: users: " + key + ": ignored"));
            }
        }
        return keys;
    }

    /** A list, or one value where a list is usual. */
    private static List<String> strings(@Nullable Object value) {
        return switch (value) {
            case List<?> list -> list.stream().map(String::valueOf).toList();
            case String one -> List.of(one);
            case null, default -> List.of();
        };
    }

    private static String script(Object value) {
        StringBuilder script = new StringBuilder("#!/bin/sh\n");
        if (value instanceof List<?> commands) {
            for (Object command : commands) {
                if (command instanceof List<?> argv) {
                    for (Object word : argv) {
                        script.append('\'')
                                .append(String.valueOf(word).replace("'", "'\\''"))
                                .append("' ");
                    }
                } else {
                    script.append(command);
                }
                script.append('\n');
            }
        }
        return script.toString();
    }
}
