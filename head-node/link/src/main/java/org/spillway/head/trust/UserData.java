package org.spillway.head.trust;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.regex.Pattern;

/** First-boot data with placeholders where secrets belong, so that the journal holds none. */
final class UserData {
    private static final Pattern PLACEHOLDER = Pattern.compile("@@SPILLWAY:([a-z]+):([A-Za-z0-9-]{1,63})@@");
    /** On the instance; {@link #ROTATION_SCRIPT} goes there. */
    static final String ROTATION_PATH = "/usr/local/sbin/spillway-host-key";

    static final String ROTATION_SCRIPT = resource("spillway-host-key.sh");
    /** cloud-init runs what lies there at each boot, whatever the system's own way of starting services is. */
    static final String WATCH_PATH = "/var/lib/cloud/scripts/per-boot/spillway-watch";

    private static final String WATCH_SCRIPT = resource("spillway-watch.sh");

    private UserData() {}

    /** Turns a placeholder into its secret. */
    interface Secrets {
        /** @throws IllegalArgumentException if there is no such kind */
        String of(String kind, String name) throws IOException;
    }

    /** Powers the machine off after {@code abandonedAfter} without a head. */
    static String watchScript(Duration abandonedAfter) {
        return WATCH_SCRIPT.replace("@SECONDS@", Long.toString(abandonedAfter.toSeconds()));
    }

    static String director(String node, String hostPublicLine, String headPublicLine, Duration abandonedAfter) {
        return """
                #cloud-config
                ssh_deletekeys: true
                ssh_keys:
                  ecdsa_private: |
                    @@SPILLWAY:hostkey:%1$s@@
                  ecdsa_public: %2$s
                ssh_authorized_keys:
                  - %3$s
                users:
                  - default
                  - name: spillway
                    gecos: Spillway director
                    shell: /bin/sh
                    lock_passwd: true
                    sudo: 'ALL=(root) NOPASSWD: %4$s ""'
                    ssh_authorized_keys:
                      - %3$s
                write_files:
                  - path: %4$s
                    owner: root:root
                    permissions: '0755'
                    content: |
                %5$s\
                  - path: %6$s
                    owner: root:root
                    permissions: '0755'
                    content: |
                %7$s""".formatted(
                        node,
                        hostPublicLine,
                        headPublicLine,
                        ROTATION_PATH,
                        ROTATION_SCRIPT.indent(6),
                        WATCH_PATH,
                        watchScript(abandonedAfter).indent(6));
    }

    /** A secret of several lines is indented like the line that its placeholder stands in. */
    static String render(String template, Secrets secrets) throws IOException {
        var text = new StringBuilder();
        var matcher = PLACEHOLDER.matcher(template);
        int copied = 0;
        while (matcher.find()) {
            text.append(template, copied, matcher.start());
            int lineStart = text.lastIndexOf("\n") + 1;
            String indentation = leadingBlanks(text.substring(lineStart));
            String secret = secrets.of(matcher.group(1), matcher.group(2)).strip();
            text.append(secret.replace("\n", "\n" + indentation));
            copied = matcher.end();
        }
        return text.append(template, copied, template.length()).toString();
    }

    private static String leadingBlanks(String line) {
        int end = 0;
        while (end < line.length() && line.charAt(end) == ' ') {
            end++;
        }
        return line.substring(0, end);
    }

    private static String resource(String name) {
        try (InputStream in = UserData.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException(name + " is missing: this is not a complete build");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new IllegalStateException(name + " cannot be read", e);
        }
    }
}
