package org.spillway.cloud.localcloud;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.YAMLException;

/**
 * First-boot data as far as cloud-init's two usual formats go.
 *
 * @param script what to run, with its {@code #!}; empty for nothing
 * @param hostKey private host key as PEM; empty to make one
 * @param authorizedKeys in OpenSSH's format
 * @param remarks lines for the console about what was not understood
 */
record UserData(String script, String hostKey, List<String> authorizedKeys, List<String> remarks) {
    private static final List<String> HOST_KEYS = List.of("ed25519_private", "ecdsa_private", "rsa_private");

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
                return new UserData("", "", List.of(), List.of("user data: not YAML, ignored: " + bad.getMessage()));
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
                case "ssh_authorized_keys" -> strings(entry.getValue()).forEach(keys::add);
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

    private static List<String> strings(Object value) {
        return value instanceof List<?> list
                ? list.stream().map(String::valueOf).toList()
                : List.of();
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
